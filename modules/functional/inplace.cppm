module;
#if !defined(__clang__)
#include <cstdint>
#endif

export module tensorplay.functional:inplace;

import tensorplay.standard;
import tensorplay.storage;
import tensorplay.tensor;

namespace tensorplay::inline functional {

enum class operation : std::uint8_t { add, sub, mul, div };

void apply(operation kind, const any_view& elements, const any_view& by);

/// owner     the storage of the elements, where it is known: all of a private mapping then is not copied a page at a time.
void apply(operation kind, const any_view& elements, const scalar& by, const storage* owner);

template <class Elements>
const storage* owner_of(const Elements& elements) noexcept {
  if constexpr (requires { elements.storage(); }) {
    return &elements.storage();
  } else {
    return nullptr;
  }
}

}  // namespace tensorplay::inline functional

export namespace tensorplay::inline functional {

/// A tensor or view whose type lets its elements be written.
template <class Elements>
concept writable_elements = requires(const Elements& elements) { any_view{elements}; } &&
                            !requires { requires traits::constant<typename Elements::element_type>; };

/// Adds to each element, in place: a number, or the element of a tensor of the same shape or one that expand() repeats to it. Gives
/// the elements back.
///
/// The second operand is converted first, as by to<T>(). Integers wrap; half types calculate in float32 and round once; bool adds as
/// `or`, and multiplies as `and`.
/// Errors    std::invalid_argument: read-only or expanded elements; another shape; a number or elements of a higher kind (bool, integer,
///           real, complex), which could not be stored; a number outside the range; bool to subtract from; integers and bool to divide.
///           Nothing is written then.
/// Aliasing  the operands may overlap: an element is read before it is written.
/// Source    tensorplay.Tensor.add_
template <writable_elements Elements>
const Elements& add_(const Elements& elements, const any_view& by) {
  apply(operation::add, elements, by);
  return elements;
}
template <writable_elements Elements>
const Elements& add_(const Elements& elements, const scalar& by) {
  apply(operation::add, elements, by, owner_of(elements));
  return elements;
}

/// Subtracts from each element, in place; see add_.
template <writable_elements Elements>
const Elements& sub_(const Elements& elements, const any_view& by) {
  apply(operation::sub, elements, by);
  return elements;
}
template <writable_elements Elements>
const Elements& sub_(const Elements& elements, const scalar& by) {
  apply(operation::sub, elements, by, owner_of(elements));
  return elements;
}

/// Multiplies each element, in place; see add_.
template <writable_elements Elements>
const Elements& mul_(const Elements& elements, const any_view& by) {
  apply(operation::mul, elements, by);
  return elements;
}
template <writable_elements Elements>
const Elements& mul_(const Elements& elements, const scalar& by) {
  apply(operation::mul, elements, by, owner_of(elements));
  return elements;
}

/// Divides each element, in place, by IEEE 754: x / 0 is infinite or NaN; see add_.
template <writable_elements Elements>
const Elements& div_(const Elements& elements, const any_view& by) {
  apply(operation::div, elements, by);
  return elements;
}
template <writable_elements Elements>
const Elements& div_(const Elements& elements, const scalar& by) {
  apply(operation::div, elements, by, owner_of(elements));
  return elements;
}

}  // namespace tensorplay::inline functional
