module;
#if !defined(__clang__)
#include <cstddef>
#endif

module tensorplay.storage:fault_handler;

import tensorplay.standard;
import :pages;

namespace tensorplay {

/// Lets the handler of SIGBUS mend these pages for as long as it lives; the first one installs it, the last one restores the
/// handler that was there before.
///
/// Threads   one lock, never held while another is taken and never taken by the handler.
class page_watch {
 public:
  /// pages, file  must outlive this; file may be -1.
  page_watch(const file_pages& pages, int file);
  page_watch(const page_watch&) = delete;
  page_watch& operator=(const page_watch&) = delete;
  ~page_watch();

 private:
  struct slot;
  friend struct slot_table;

  slot* slot_;
};

}  // namespace tensorplay
