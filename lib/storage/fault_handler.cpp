module;
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <mutex>

module tensorplay.storage;

import :fault_handler;
import :pages;

namespace tensorplay {

/// One watched mapping. Slots are reused and never freed: the handler may be looking at any of them.
struct page_watch::slot {
  std::atomic<const file_pages*> pages{nullptr};
  std::atomic<int> file{-1};
  std::atomic<int> visitors{0};
  slot* next = nullptr;         // in the list of all; constant once there
  slot* next_unused = nullptr;  // guarded by the lock
};

struct slot_table {
  using slot = page_watch::slot;

  std::mutex lock;
  std::atomic<slot*> all{nullptr};
  slot* unused = nullptr;
  int used = 0;

  slot* take() {
    if (unused == nullptr) {
      unused = new slot;
      unused->next = all.load();
      all.store(unused);
    }
    ++used;
    auto* taken = unused;
    unused = taken->next_unused;
    return taken;
  }

  void give_back(slot* one) {
    one->next_unused = unused;
    unused = one;
    --used;
  }

  bool mend(const void* address) noexcept {
    for (auto* one = all.load(); one != nullptr; one = one->next) {
      one->visitors.fetch_add(1);
      const auto* pages = one->pages.load();
      const bool mended = pages != nullptr && pages->contains(address) && pages->mend(address, one->file.load());
      one->visitors.fetch_sub(1);
      if (mended) return true;
    }
    return false;
  }

  void forget_visitors() noexcept {
    for (auto* one = all.load(); one != nullptr; one = one->next) one->visitors.store(0);
  }
};

namespace {

slot_table slots;

/// A handler of ours and the one that it was put in front of. There are several: where somebody has put his handler over ours, and
/// may call ours from it, the next of ours must not be the same one, or the two would call each other for ever.
struct layer {
  struct ::sigaction former{};
  std::atomic<int> readers{0};
  std::atomic<bool> is_spent{false};  // the former one wanted to be called once
};

constexpr int layer_count = 8;
layer layers[layer_count];
int top = -1;  // guarded by the lock

/// Does what would have happened without our handler, whose mask is the former one's.
void hand_on(layer& ours, int number, ::siginfo_t* info, void* context) {
  ours.readers.fetch_add(1);
  const auto former = ours.former;
  const bool is_spent = (former.sa_flags & SA_RESETHAND) != 0 && ours.is_spent.exchange(true);
  ours.readers.fetch_sub(1);

  const bool was_sent = info->si_code <= 0;  // by kill and the like; a fault comes again on return
  if (former.sa_handler == SIG_IGN && was_sent) return;
  if (is_spent || former.sa_handler == SIG_DFL || former.sa_handler == SIG_IGN) {
    ::signal(number, SIG_DFL);
    if (was_sent) ::raise(number);
  } else if ((former.sa_flags & SA_SIGINFO) != 0) {
    former.sa_sigaction(number, info, context);
  } else {
    former.sa_handler(number);
  }
}

template <int Layer>
void on_bus_error(int number, ::siginfo_t* info, void* context) {
  const int kept = errno;
  const bool is_mended = info->si_code == BUS_ADRERR && slots.mend(info->si_addr);
  errno = kept;
  if (!is_mended) hand_on(layers[Layer], number, info, context);
}

using handler = void (*)(int, ::siginfo_t*, void*);
constexpr handler handlers[layer_count] = {on_bus_error<0>, on_bus_error<1>, on_bus_error<2>, on_bus_error<3>,
                                           on_bus_error<4>, on_bus_error<5>, on_bus_error<6>, on_bus_error<7>};

struct ::sigaction current_action() {
  struct ::sigaction current{};
  ::sigaction(SIGBUS, nullptr, &current);
  return current;
}

bool is_ours(const struct ::sigaction& action, int of_layer) {
  return of_layer >= 0 && (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handlers[of_layer];
}

void wait_until_none(const std::atomic<int>& users) {
  while (users.load() != 0) ::sched_yield();
}

void install() {
  const auto former = current_action();
  if (is_ours(former, top) || top + 1 == layer_count) return;
  auto& next = layers[++top];
  wait_until_none(next.readers);
  next.former = former;
  next.is_spent.store(false);
  struct ::sigaction ours{};
  ours.sa_sigaction = handlers[top];
  ours.sa_mask = former.sa_mask;
  const bool has_handler = former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN;
  ours.sa_flags = SA_SIGINFO | (has_handler ? former.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART) : SA_ONSTACK | SA_RESTART);
  ::sigaction(SIGBUS, &ours, nullptr);
}

/// Leaves a handler that somebody has put over ours, and ours below it, which it may call.
void restore() {
  for (; is_ours(current_action(), top); --top) {
    auto former = layers[top].former;
    if (layers[top].is_spent.load()) former.sa_handler = SIG_DFL;
    ::sigaction(SIGBUS, &former, nullptr);
  }
}

/// A child of fork has none of the threads that may be in the handler or hold the lock.
void survive_forks() {
  [[maybe_unused]] static const int once = ::pthread_atfork([] { slots.lock.lock(); }, [] { slots.lock.unlock(); },
                                                            [] {
                                                              slots.forget_visitors();
                                                              for (auto& one : layers) one.readers.store(0);
                                                              slots.lock.unlock();
                                                            });
}

}  // namespace

page_watch::page_watch(const file_pages& pages, int file) {
  survive_forks();
  const std::lock_guard locked{slots.lock};
  slot_ = slots.take();
  pages.note_watch(1);
  slot_->file.store(file);
  slot_->pages.store(&pages);
  install();
}

page_watch::~page_watch() {
  const std::lock_guard locked{slots.lock};
  slot_->pages.load()->note_watch(-1);
  slot_->pages.store(nullptr);
  wait_until_none(slot_->visitors);
  slots.give_back(slot_);
  if (slots.used == 0) restore();
}

}  // namespace tensorplay
