/// Elements: dtypes and devices, shapes, typed tensors and their views, and the tensor whose type is known at run time.
export module tensorplay.tensor;

export import :any;
export import :device;
export import :dtype;
export import :element;
export import :iterator;
export import :layout;
export import :scalar;
export import :shape;
export import :traits;
export import :typed;
export import :view;
