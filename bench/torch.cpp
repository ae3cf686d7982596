#include "torch.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "mapper.hpp"

namespace bench {
namespace {

at::ScalarType type_of(const std::string& dtype) {
  if (dtype == "bool") return at::kBool;
  if (dtype == "uint8") return at::kByte;
  if (dtype == "int8") return at::kChar;
  if (dtype == "int16") return at::kShort;
  if (dtype == "int32") return at::kInt;
  if (dtype == "int64") return at::kLong;
  if (dtype == "float16") return at::kHalf;
  if (dtype == "bfloat16") return at::kBFloat16;
  if (dtype == "float64") return at::kDouble;
  if (dtype == "complex64") return at::kComplexFloat;
  if (dtype == "complex128") return at::kComplexDouble;
  return at::kFloat;
}

}  // namespace

float map_with_torch(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  const auto tensor = at::from_file(filename.native(), shared, count, at::kFloat);
  return read == touch::last_element ? tensor.data_ptr<float>()[count - 1] : 0;
}

struct torch_tensor::state {
  at::Tensor tensor;
};

torch_tensor::torch_tensor(const void* first, std::int64_t numel, const std::string& dtype)
    : state_{new state{at::from_blob(const_cast<void*>(first), {numel}, at::TensorOptions{type_of(dtype)})}} {}
torch_tensor::torch_tensor(const float* first, std::int64_t rows, std::int64_t columns)
    : state_{new state{at::from_blob(const_cast<float*>(first), {rows, columns}, at::kFloat)}} {}
torch_tensor::torch_tensor(const std::string& filename, bool shared, std::int64_t numel)
    : state_{new state{at::from_file(filename, shared, numel, at::kFloat)}} {}
torch_tensor::torch_tensor(const std::string& filename, bool shared, std::int64_t rows, std::int64_t columns)
    : state_{new state{at::from_file(filename, shared, rows * columns, at::kFloat).view({rows, columns})}} {}
torch_tensor::~torch_tensor() = default;

double torch_tensor::sum() const {
  const auto total = state_->tensor.sum();
  return total.is_complex() ? total.item<c10::complex<double>>().real() : total.item<double>();
}
double torch_tensor::max() const { return state_->tensor.max().item<double>(); }
double torch_tensor::argmax() const { return state_->tensor.argmax().item<double>(); }
double torch_tensor::count_nonzero() const { return state_->tensor.count_nonzero().item<double>(); }
void torch_tensor::add_one() const { state_->tensor.add_(1); }
void torch_tensor::fill(float value) const { state_->tensor.fill_(value); }
void torch_tensor::copy_from(const torch_tensor& other) const { state_->tensor.copy_(other.state_->tensor); }
void torch_tensor::clone() const { state_->tensor.clone(); }
void torch_tensor::slice() const { state_->tensor.slice(0, 100, 200); }
void torch_tensor::select() const { state_->tensor.select(0, 7); }
void torch_tensor::reshape() const { state_->tensor.view({-1, 2}); }
void torch_tensor::index_select(const torch_tensor& rows) const { state_->tensor.index_select(0, rows.state_->tensor); }
double torch_tensor::sum_of_row(std::int64_t row) const { return state_->tensor.select(0, row).sum().item<double>(); }

float torch_randn(std::int64_t numel) { return at::randn({numel})[numel - 1].item<float>(); }

void use_one_torch_thread() { at::set_num_threads(1); }

}  // namespace bench
