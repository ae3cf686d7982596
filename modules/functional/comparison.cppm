export module tensorplay.functional:comparison;

import tensorplay.tensor;

export namespace tensorplay::inline functional {

/// The keyword arguments of allclose.
struct allclose_options {
  double rtol = 1e-5;      ///< of the second operand's magnitude
  double atol = 1e-8;      ///< added to it
  bool equal_nan = false;  ///< whether two NaN are close
};

/// Whether two tensors have one shape and equal elements; NaN equals nothing.
///
/// Errors    std::invalid_argument: another dtype.
/// Source    tensorplay.equal
bool equal(const any_view& left, const any_view& right);

/// Whether |left - right| <= atol + rtol * |right| holds for each element; infinities are close to themselves alone.
///
/// Calculated in float64, of 64-bit integers exactly.
/// Errors    std::invalid_argument: another dtype or shape; the message names the first dimension that differs.
/// Source    tensorplay.allclose
bool allclose(const any_view& left, const any_view& right, allclose_options options = {});

}  // namespace tensorplay::inline functional
