// The documented example: save a tensor, then map the file as a tensor.
#include <iostream>

import tensorplay.functional;
namespace tp = tensorplay;

namespace {

template <class Tensor>
void print(const char* title, const Tensor& tensor) {
  std::cout << title;
  for (const auto value : tensor) std::cout << ' ' << value;
  std::cout << '\n';
}

}  // namespace

int main() {
  auto t = tp::randn<double>(2, 5);
  t.tofile("storage.pt");
  std::cout << "saved " << t.numel() << " " << t.dtype() << " in storage.pt\n";

  auto mapped = tp::from_file<double>("storage.pt", /*shared=*/false, /*size=*/10);
  print("mapped privately:  ", mapped);

  mapped[0] = 42;  // a private store stays in this tensor
  auto same = tp::from_file("storage.pt", false, 10, {.dtype = tp::float64});
  print("the file unchanged:", same.as<double>());

  auto shared = tp::from_file<double>("storage.pt", true, {2, 5});
  shared(1, 4) = 42;  // a shared one is in the file at once
  print("after shared(1, 4):", tp::from_file<const double>("storage.pt", false, tp::whole_file));
}
