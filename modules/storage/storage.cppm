/// Bytes: where a tensor's memory lives, a mapped file or the heap.
export module tensorplay.storage;

import tensorplay.standard;
export import :access;
export import :arithmetic;
export import :block;
export import :error;
export import :guard;
export import :handle;
export import :heap;
export import :loading;
export import :mapping;
export import :prefetch;
export import :replacement;
export import :residency;
export import :rewrite;
export import :verification;
