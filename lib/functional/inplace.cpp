module;
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

module tensorplay.functional;

import :vectors;

#include "../vectorized.hpp"

namespace tensorplay::inline functional {
namespace {

/// What a number can be stored in: each kind takes itself and the ones before it.
enum class kind : std::uint8_t { boolean, integer, real, complex };

kind kind_of(dtype type) {
  if (is_complex(type)) return kind::complex;
  if (is_floating_point(type)) return kind::real;
  return type == bool_ ? kind::boolean : kind::integer;
}

kind kind_of(const scalar& value) {
  if (value.is_complex()) return kind::complex;
  if (value.is_floating_point()) return kind::real;
  return value.is_bool() ? kind::boolean : kind::integer;
}

const char* name(kind of) {
  switch (of) {
    case kind::boolean: return "bool";
    case kind::integer: return "integer";
    case kind::real: return "real";
    case kind::complex: return "complex";
  }
  return "unknown";
}

const char* name(operation of) {
  switch (of) {
    case operation::add: return "add_";
    case operation::sub: return "sub_";
    case operation::mul: return "mul_";
    case operation::div: return "div_";
  }
  return "operation";
}

void require_possible(operation of, const any_view& elements, kind by) {
  require_stores(name(of), elements);
  const auto has = kind_of(elements.dtype());
  const std::string found = ", found elements of " + std::string{tensorplay::name(elements.dtype())};
  if (has <= kind::integer && of == operation::div) {
    throw std::invalid_argument{"div_: real or complex elements to divide were wanted" + found};
  }
  if (has == kind::boolean && of == operation::sub) throw std::invalid_argument{"sub_: numbers were wanted" + found};
  if (by > has) {
    throw std::invalid_argument{std::string{name(of)} + ": elements that can store " + name(by) + " results were wanted" + found};
  }
}

/// One operation on elements of one type that is no half.
template <native_element T, operation Operation>
[[gnu::always_inline]] inline T applied(T one, T other) {
  const auto calculated = [](auto left, auto right) __attribute__((always_inline)) {
    if constexpr (Operation == operation::add) return left + right;
    if constexpr (Operation == operation::sub) return left - right;
    if constexpr (Operation == operation::mul) return left * right;
    if constexpr (Operation == operation::div) return left / right;
  };
  if constexpr (std::same_as<T, bool8_t>) {
    return Operation == operation::add ? one || other : one && other;
  } else if constexpr (std::integral<T>) {
    using wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
    return static_cast<T>(calculated(static_cast<wrapping>(one), static_cast<wrapping>(other)));
  } else {
    return calculated(one, other);
  }
}

template <native_element T>
constexpr bool can_divide = !std::integral<T> && !std::same_as<T, bool8_t>;

/// Calls function.operator()<T, Operation>() for what require_possible lets through.
template <class Function>
void dispatch_operation(operation of, dtype type, Function&& function) {
  dispatch(type, [&]<class T>() {
    switch (of) {
      case operation::add: return function.template operator()<T, operation::add>();
      case operation::mul: return function.template operator()<T, operation::mul>();
      case operation::sub:
        if constexpr (!std::same_as<T, bool8_t>) return function.template operator()<T, operation::sub>();
        return;
      case operation::div:
        if constexpr (can_divide<T>) return function.template operator()<T, operation::div>();
        return;
    }
  });
}

/// Writes the results of an operation, to where the elements stand or elsewhere.
///
/// other(at)  the other operand of the element at that place.
template <native_element T, operation Operation, class Other>
void store_results(T* to, const T* from, std::int64_t count, Other other) {
  vectorized([=]() __attribute__((always_inline)) {
    for (std::int64_t at = 0; at < count; ++at) to[at] = applied<T, Operation>(from[at], other(at));
  });
}

/// The same for half floats, which are calculated with as floats.
///
/// others    the other operands, or one for all.
template <half_element T, operation Operation>
void store_half_results(T* to, const T* from, std::int64_t count, const T* others, bool is_one) {
  constexpr std::int64_t most{512};
  const auto widen = converter_of(dtype_of<T>, float32);
  const auto narrow = converter_of(float32, dtype_of<T>);
  const auto bytes = [](auto* elements) { return reinterpret_cast<const std::byte*>(elements); };
  float lefts[most];
  float rights[most];
  if (is_one) widen(bytes(others), reinterpret_cast<std::byte*>(rights), 1);
  for (std::int64_t first = 0; first < count; first += most) {
    const auto length = count - first < most ? count - first : most;
    widen(bytes(from + first), reinterpret_cast<std::byte*>(lefts), length);
    if (is_one) {
      const auto value = rights[0];
      store_results<float, Operation>(lefts, lefts, length, [=](std::int64_t) __attribute__((always_inline)) { return value; });
    } else {
      widen(bytes(others + first), reinterpret_cast<std::byte*>(rights), length);
      const auto* values = rights;
      store_results<float, Operation>(lefts, lefts, length,
                                      [=](std::int64_t at) __attribute__((always_inline)) { return values[at]; });
    }
    narrow(bytes(lefts), reinterpret_cast<std::byte*>(to + first), length);
  }
}

/// The results of an operation with one number.
template <native_element T, operation Operation>
void store_applied(T* to, const T* from, std::int64_t count, T value) {
  if constexpr (half_element<T>) {
    store_half_results<T, Operation>(to, from, count, &value, true);
  } else {
    store_results<T, Operation>(to, from, count, [=](std::int64_t) __attribute__((always_inline)) { return value; });
  }
}

/// The results of an operation with one number, written to fresh memory: past the caches, which would have to read it first.
///
/// to        where a page begins.
template <native_element T, operation Operation>
void stream_applied(T* to, const T* from, std::int64_t count, T value) {
  piece<T> results;
  for (std::int64_t first = 0; first < count; first += piece_numel) {
    const auto length = count - first < piece_numel ? count - first : piece_numel;
    store_applied<T, Operation>(results.data(), from + first, length, value);
    stream(reinterpret_cast<std::byte*>(to + first), results.bytes(), length * std::int64_t{sizeof(T)});
  }
  end_streams();
}

/// The results of an operation with as many numbers.
template <native_element T, operation Operation>
void store_applied(T* to, const T* from, std::int64_t count, const T* values) {
  if constexpr (half_element<T>) {
    store_half_results<T, Operation>(to, from, count, values, false);
  } else {
    store_results<T, Operation>(to, from, count, [=](std::int64_t at) __attribute__((always_inline)) { return values[at]; });
  }
}

/// Reads elements of any dtype as T, piece by piece.
template <native_element T>
class converting_reader {
 public:
  explicit converting_reader(const any_view& elements)
      : convert_{converter_of(elements.dtype(), dtype_of<T>)}, is_same_{elements.dtype() == dtype_of<T>}, walk_{elements} {}

  /// The next count elements, at most piece_numel; valid until the next call.
  const T* read(std::int64_t count) {
    const auto* source = gathered_.bytes();
    if (walk_.run() >= count) {
      source = walk_.data();
      walk_.advance(count);
    } else {
      walk_.gather(gathered_.bytes(), count);
    }
    if (is_same_) return reinterpret_cast<const T*>(source);
    convert_(source, converted_.bytes(), count);
    return converted_.data();
  }

 private:
  converter convert_;
  bool is_same_;
  element_walk walk_;
  piece<std::complex<double>> gathered_;
  piece<T> converted_;
};

}  // namespace

void apply(operation of, const any_view& elements, const any_view& by) {
  require_possible(of, elements, kind_of(by.dtype()));
  const auto source = matched_source(by, elements);
  dispatch_operation(of, elements.dtype(), [&]<class T, operation Operation>() {
    converting_reader<T> reader{source};
    for (piece_writer<T> writer{elements}; writer.remaining() > 0;) {
      const auto count = writer.count();
      const auto* values = reader.read(count);
      writer.write(count, true, [&](T* first) { store_applied<T, Operation>(first, first, count, values); });
    }
  });
}

void apply(operation of, const any_view& elements, const scalar& by, const storage* owner) {
  require_possible(of, elements, kind_of(by));
  // Pieces of a rewrite are cut between pages: no element must lie across two.
  const bool is_whole =
      elements.is_contiguous() && elements.encoding() == encoding::native && elements.numel() > 0 &&
      reinterpret_cast<std::uintptr_t>(elements.data()) % static_cast<std::uintptr_t>(itemsize(elements.dtype())) == 0;
  dispatch_operation(of, elements.dtype(), [&]<class T, operation Operation>() {
    const auto value = by.to<T>();
    if (is_whole && owner != nullptr && owner->access() == access::copy_on_write) {
      private_rewrite pieces{*owner, elements.data() - owner->data(), elements.nbytes()};
      for (; pieces.next(); pieces.place()) {
        auto* to = reinterpret_cast<T*>(pieces.to());
        const auto* from = reinterpret_cast<const T*>(pieces.from());
        const auto count = pieces.nbytes() / itemsize(elements.dtype());
        if (to == from) {
          store_applied<T, Operation>(to, from, count, value);
        } else {
          stream_applied<T, Operation>(to, from, count, value);
        }
      }
      return;
    }
    for (piece_writer<T> writer{elements}; writer.remaining() > 0;) {
      const auto count = writer.count();
      writer.write(count, true, [&](T* first) { store_applied<T, Operation>(first, first, count, value); });
    }
  });
}

}  // namespace tensorplay::inline functional
