/// Functions: from_file, creation, arithmetic and comparison; storage and tensor come with it.
export module tensorplay.functional;

import tensorplay.standard;
export import tensorplay.storage;
export import tensorplay.tensor;
export import :atomic_update;
export import :comparison;
export import :creation;
export import :from_file;
export import :indexing;
export import :inplace;
export import :options;
export import :random;
export import :reduction;
