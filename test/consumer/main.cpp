import tensorplay.functional;
namespace tp = tensorplay;

// Saves random numbers and maps them: 0 when the file holds what was saved.
int main() {
  auto t = tp::randn<double>(2, 5);
  t.tofile("storage.pt");
  auto mapped = tp::from_file<double>("storage.pt", /*shared=*/false, /*size=*/10);
  auto different = 0;
  for (auto i = 0; i < 10; ++i) {
    if (mapped(i) != t(i / 5, i % 5)) ++different;
  }
  return different;
}
