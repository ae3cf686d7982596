/// Functions: from_file, the creation functions and their defaults; storage and tensor come with it.
export module tensorplay.functional;

export import tensorplay.storage;
export import tensorplay.tensor;
export import :creation;
export import :defaults;
export import :from_file;
export import :options;
export import :random;
