/// Elements: dtypes and devices, shapes, typed tensors and their views, and the tensor whose type is known at run time.
export module tensorplay.tensor;

import tensorplay.standard;
export import :any;
export import :any_view;
export import :conversion;
export import :defaults;
export import :device;
export import :dtype;
export import :element;
export import :iterator;
export import :layout;
export import :packed;
export import :print;
export import :scalar;
export import :shape;
export import :strides;
export import :traits;
export import :typed;
export import :view;
export import :walk;
