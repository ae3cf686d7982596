#pragma once
// What libtorch does; defined where it was found. Its headers are C++17, so this one is too.
#include <cstdint>
#include <memory>
#include <string>

namespace bench {

/// A tensor of libtorch's on memory that somebody else holds, or on a file.
class torch_tensor {
 public:
  /// dtype     torch's word: "float32", "uint8" and so on.
  torch_tensor(const void* first, std::int64_t numel, const std::string& dtype);

  /// Rows of float32.
  torch_tensor(const float* first, std::int64_t rows, std::int64_t columns);

  /// at::from_file, float32.
  torch_tensor(const std::string& filename, bool shared, std::int64_t numel);
  torch_tensor(const std::string& filename, bool shared, std::int64_t rows, std::int64_t columns);
  ~torch_tensor();

  double sum() const;
  double max() const;
  double argmax() const;
  double count_nonzero() const;
  void add_one() const;
  void fill(float value) const;
  void copy_from(const torch_tensor& other) const;
  void clone() const;
  void slice() const;
  void select() const;
  void reshape() const;
  void index_select(const torch_tensor& rows) const;
  double sum_of_row(std::int64_t row) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The last of so many normal numbers.
float torch_randn(std::int64_t numel);

/// One thread, as all others have.
void use_one_torch_thread();

}  // namespace bench
