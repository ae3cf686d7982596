#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <type_traits>

#include "support.hpp"

import tensorplay.functional;

// Every exported name once, reached through the one module that users import.

namespace tp = tensorplay;

static_assert(std::same_as<decltype(tp::functional::zeros<float>(1)), decltype(tp::zeros<float>(1))>);
static_assert(tp::real_element<tp::float16_t> && !tp::real_element<tp::bool8_t>);
static_assert(tp::random_element<std::complex<float>> && !tp::random_element<int>);
static_assert(tp::element<tp::bfloat16_t> && tp::one_of<int, int>);
static_assert(std::same_as<tp::element_of<tp::int32>, std::int32_t> &&
              std::same_as<tp::element_of_dtype<tp::int32>::type, std::int32_t>);
static_assert(tp::max_rank == 16 && tp::slice_end == INT64_MAX);
static_assert(tp::traits::constant<const int> && tp::traits::counting<long> && !tp::traits::counting<bool>);
static_assert(std::same_as<tp::traits::choose<false, int, tp::traits::given<char>>, tp::traits::mutable_of<const char>>);
static_assert(tp::traits::same<int, int> && !tp::traits::is_same<int, long>);
static_assert(tp::traits::to_array({1, 2}) == std::array<std::int64_t, 2>{1, 2});
static_assert(std::is_error_code_enum_v<tp::storage_errc>);
using packed_float = tp::packed<float, std::endian::little>;
static_assert(tp::native_element<float> && tp::half_element<tp::bfloat16_t> && tp::is_packed<packed_float>);
static_assert(tp::complex_element<tp::complex64_t> && std::same_as<tp::complex128_t, std::complex<double>>);
static_assert(std::same_as<tp::value_of<packed_float>, float> && std::same_as<tp::element_traits<float>::value, float>);
static_assert(tp::encoding_of<packed_float> == tp::encoding::packed_little && tp::part_size<tp::complex64_t> == 4);
static_assert(tp::typed_view<tp::tensor<float>> && !tp::typed_view<tp::any_view>);
static_assert(tp::writable_elements<tp::any_view> && tp::ordered_element<int> && tp::whole_element<int>);
static_assert(std::same_as<tp::sum_of<float>, tp::mean_of<float>> && std::same_as<tp::var_of<float>, float>);

TEST_CASE("every name of tensorplay.storage can be used", "[exports]") {
  const support::temporary_folder folder;
  tp::require_valid_filename("f");
  const tp::map_options options{
      .mode = tp::access::read_write, .shared = true, .offset_bytes = 0, .create = true, .sparse = true};
  const tp::storage mapped = tp::map_file(folder / "f", 4, options);
  mapped.advise(tp::advice::normal);
  CHECK(tp::allocate(*tp::checked_add(1, *tp::checked_multiply(2, 3))).nbytes() == 7);
  CHECK(tp::allocate_zeroed(1).access() == tp::access::read_write);
  tp::file_replacement{folder / "g", 0}.commit();
  const tp::storage_error error{tp::make_error_code(tp::storage_errc::partial_element), "map", "f", 8, 7};
  CHECK(error.code().category() == tp::storage_category());
}

TEST_CASE("every name of tensorplay.tensor can be used", "[exports]") {
  using namespace tensorplay;
  for (const auto type : {bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64,
                          complex64, complex128}) {
    CHECK(itemsize(type) == dispatch(type, []<class T>() { return static_cast<std::int64_t>(sizeof(T)); }));
    CHECK((is_floating_point(type) || is_complex(type) || !name(type).empty()));
  }
  for (const auto arrangement : {strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged}) {
    CHECK_FALSE(name(arrangement).empty());
  }
  std::ostringstream out;
  out << float32 << strided << device{"cpu"};
  CHECK(out.str() == "float32stridedcpu");
  const tensor<float, 2> t{allocate_zeroed(24), {2, 3}};
  const tensor_view<float, 2, memory_format::strided> view = t.transpose(0, 1);
  const strided_iterator<float, 2> begin = view.begin();
  CHECK(*begin == 0);
  const any_tensor any = t;
  CHECK(any.dtype() == dtype_of<float>);
  CHECK(shape_text(any.shape()) == "(2, 3)");
  dims open{-1};
  resolve_shape({open.data(), open.size()}, numel_of(any.shape()));
  CHECK(end_in_bytes(open[resolve_dimension(0, open)], 4) == 24);
  CHECK(resolve_index(-1, 0, open) == 5);
  const slice_range range = resolve_slice(0, 4, 2, 6);
  CHECK(range.length == 2);
  CHECK(is_row_major(any.shape(), contiguous_strides(std::array<std::int64_t, 2>{2, 3})));
  CHECK_THROWS(throw_out_of_range(0, 0, open));
  CHECK(scalar{1}.to<int>() == 1);
  int left = 1;
  int right = traits::replaced(left, 2);
  traits::exchange(left, right);
  CHECK((left == 1 && right == 2));
}

TEST_CASE("every name of tensorplay.tensor that kernels use can be used", "[exports]") {
  const tp::tensor<float, 2> t{tp::allocate_zeroed(24), {2, 3}};
  const tp::any_view any = t;
  tp::require_stores("test", any);
  CHECK(tp::matched_source(t[0], any).shape() == any.shape());
  const tp::row_range<tp::tensor_view<float, 2>> rows = t.rows();
  const tp::row_iterator<tp::tensor_view<float, 2>> first = rows.begin();
  CHECK((*first).numel() == 3);
  CHECK(tp::clone(t[0]).numel() == tp::to<int>(t[0]).numel());
  CHECK(tp::to_string(t[0], tp::print_options{.precision = 1}) == "tensor([0.0, 0.0, 0.0])");

  tp::piece<int> converted;
  const tp::converter convert = tp::converter_of(tp::float32, tp::int32);
  tp::for_each_piece<float>(any, [&](const float* values, std::int64_t count) {
    convert(reinterpret_cast<const std::byte*>(values), converted.bytes(), count);
  });
  CHECK(converted.data()[5] == 0);
  CHECK(tp::element_walk{any}.run() == 6);
  tp::piece_reader<float> reader{any};
  tp::piece_writer<float> writer{any};
  CHECK(reader.remaining() + writer.count() < tp::piece_numel);
}

TEST_CASE("every function that calculates can be used", "[exports]") {
  const auto t = tp::ones<float>(3);
  const tp::any_view any = t;
  CHECK(tp::sum(t) == tp::sum(any).to<float>());
  CHECK(tp::mean(t) == tp::mean(any).to<float>());
  CHECK(tp::var(t, tp::var_options{}) == tp::var(any).to<float>());
  CHECK(tp::std(t) == tp::std(any).to<float>());
  CHECK(tp::min(t) == tp::min(any).to<float>());
  CHECK(tp::max(t) == tp::max(any).to<float>());
  CHECK(tp::minmax(t).max == tp::minmax(any).max.to<float>());
  CHECK(tp::minmax_result<int>{1, 2}.min == 1);
  CHECK(tp::argmin(t) == tp::argmax(any));
  CHECK(tp::count_nonzero(t) == static_cast<std::int64_t>(tp::dot(t, t)));
  CHECK(tp::equal(t, tp::index_select(t, 0, tp::arange(3))));
  CHECK(tp::allclose(t, t, tp::allclose_options{}));
  tp::add_(t, 1);
  tp::sub_(t, 1);
  tp::mul_(t, 2);
  tp::div_(t, 2);
  CHECK(tp::functional::sum(t) == 3);
}

TEST_CASE("every name of tensorplay.functional can be used", "[exports]") {
  const support::temporary_folder folder;
  tp::manual_seed(1);
  const tp::tensor_options options{.dtype = tp::float64, .layout = tp::strided, .device = "cpu", .pin_memory = false};
  for (const auto& t : {tp::empty({2}, options), tp::zeros({2}, options), tp::ones({2}, options), tp::full({2}, 1, options),
                        tp::arange(0, 2, 1, options), tp::rand({2}, options), tp::randn({2}, options)}) {
    CHECK(t.dtype() == tp::float64);
  }
  CHECK(tp::empty<float>(1).numel() + tp::zeros<float>(1).numel() + tp::ones<float>(1).numel() +
            tp::full<float>({1, 1}, 1).numel() + tp::arange<float>(1).numel() + tp::rand<float>(1).numel() +
            tp::randn<float>(1).numel() ==
        7);
  const tp::from_file_options mapped{.dtype = tp::float32,
                                     .layout = tp::strided,
                                     .device = "cpu",
                                     .pin_memory = false,
                                     .offset = 4,
                                     .sparse = true,
                                     .read_only = false};
  CHECK(tp::functional::from_file(folder / "f", true, 4, mapped).numel() == 4);
  CHECK(tp::from_file<float>(folder / "f", true, tp::whole_file_t{}).numel() == 5);
  tp::set_default_dtype(tp::get_default_dtype());
  tp::set_default_device(tp::get_default_device());
}
