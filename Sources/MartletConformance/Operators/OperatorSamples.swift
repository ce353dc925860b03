/// One minimal call of every operator, which `martlet operators` and `Oracles/make_operator_dtypes.py` (which reads this file) run for
/// each element type. A line has the form
///
///     operator | argument | … -> output, …
///
/// with the arguments in the order of the schema that files call:
/// - `T[2,3]`: a tensor of that shape with the elements 1, 2, 3, 4, 1, 2, …; with `=1,0` it cycles through those elements
/// - `{T[2];T[2]}`: a list of tensors; `?{…}` a list of optional tensors
/// - `3`, `2.5`, `true`, `"text"`: int, double, bool, string; `none` for an absent argument; `S=3` a scalar of the column's kind
/// - `[1,2]`, `[1.5]`, `[true]`: lists of integers, doubles, booleans; `[]` is a list of integers
/// - `@T`: the number of an element type
///
/// Outputs are tensors as above, `{…}` for a list, `=0` for argument 0 itself, and `int`, `double`, `bool` for scalars.
///
/// Element types: `T` is the column's, `F` is `T` if it is floating-point or complex and float32 otherwise, `R` the real type of `F`, `V`
/// the real type of `T`, `C` the complex type of `T`, `A` int64 if `T` is an integer type or bool and `T` otherwise. All others are
/// written by name. `K` is the kind of a scalar of type `T`, `S` the column's kind if columns are kinds of scalars.
let operatorSamples = #"""
  # aten: activations and functions of one operand
  aten::_log_softmax.out | T[2,3] | 1 | false -> T[2,3]
  aten::_softmax.out | T[2,3] | 1 | false -> T[2,3]
  aten::abs.out | T[2,3] -> V[2,3]
  aten::acos.out | T[2,3]=0,1 -> F[2,3]
  aten::acosh.out | T[2,3] -> F[2,3]
  aten::asin.out | T[2,3]=0,1 -> F[2,3]
  aten::asinh.out | T[2,3] -> F[2,3]
  aten::atan.out | T[2,3] -> F[2,3]
  aten::atanh.out | T[2,3]=0 -> F[2,3]
  aten::ceil.out | T[2,3] -> T[2,3]
  aten::cos.out | T[2,3] -> F[2,3]
  aten::cosh.out | T[2,3] -> F[2,3]
  aten::elu.out | T[2,3] | 1.0 | 1.0 | 1.0 -> T[2,3]
  aten::erf.out | T[2,3] -> F[2,3]
  aten::exp.out | T[2,3] -> F[2,3]
  aten::expm1.out | T[2,3] -> F[2,3]
  aten::floor.out | T[2,3] -> T[2,3]
  aten::gelu.out | T[2,3] | "none" -> T[2,3]
  aten::glu.out | T[2,4] | -1 -> T[2,2]
  aten::hardtanh.out | T[2,3] | 1 | 2 -> T[2,3]
  aten::isinf.out | T[2,3] -> bool[2,3]
  aten::isnan.out | T[2,3] -> bool[2,3]
  aten::leaky_relu.out | T[2,3] | 0.5 -> T[2,3]
  aten::log.out | T[2,3] -> F[2,3]
  aten::log10.out | T[2,3] -> F[2,3]
  aten::log1p.out | T[2,3] -> F[2,3]
  aten::log2.out | T[2,3] -> F[2,3]
  aten::logical_not.out | T[2,3] -> bool[2,3]
  aten::logit.out | T[2,3]=0.5,0.25 | 0.125 -> F[2,3]
  aten::neg.out | T[2,3] -> T[2,3]
  aten::reciprocal.out | T[2,3] -> F[2,3]
  aten::relu.out | T[2,3] -> T[2,3]
  aten::round.out | T[2,3] -> T[2,3]
  aten::rsqrt.out | T[2,3] -> F[2,3]
  aten::sigmoid.out | T[2,3] -> F[2,3]
  aten::sign.out | T[2,3] -> T[2,3]
  aten::sin.out | T[2,3] -> F[2,3]
  aten::sinh.out | T[2,3] -> F[2,3]
  aten::sqrt.out | T[2,3] -> F[2,3]
  aten::tan.out | T[2,3] -> F[2,3]
  aten::tanh.out | T[2,3] -> F[2,3]
  aten::trunc.out | T[2,3] -> T[2,3]
  aten::bitwise_not.out | T[2,3] -> T[2,3]
  aten::_conj_physical.out | T[2,3] -> T[2,3]

  # aten: arithmetic and comparisons
  aten::add.Scalar_out | T[2,3] | 2 | 1 -> T[2,3]
  aten::add.out | T[2,3] | T[2,3] | 1 -> T[2,3]
  aten::atan2.out | T[2,3] | T[2,3] -> F[2,3]
  aten::bitwise_and.Scalar_out | T[2,3] | 1 -> T[2,3]
  aten::bitwise_and.Tensor_out | T[2,3] | T[2,3] -> T[2,3]
  aten::bitwise_left_shift.Tensor_Scalar_out | T[2,3] | 1 -> T[2,3]
  aten::bitwise_left_shift.Tensor_out | T[2,3] | T[2,3]=1 -> T[2,3]
  aten::bitwise_or.Scalar_out | T[2,3] | 1 -> T[2,3]
  aten::bitwise_or.Tensor_out | T[2,3] | T[2,3] -> T[2,3]
  aten::bitwise_right_shift.Tensor_Scalar_out | T[2,3] | 1 -> T[2,3]
  aten::bitwise_right_shift.Tensor_out | T[2,3] | T[2,3]=1 -> T[2,3]
  aten::bitwise_xor.Scalar_out | T[2,3] | 1 -> T[2,3]
  aten::bitwise_xor.Tensor_out | T[2,3] | T[2,3] -> T[2,3]
  aten::clamp.Tensor_out | T[2,3] | T[3]=1 | T[3]=2 -> T[2,3]
  aten::clamp.out | T[2,3] | 1 | 2 -> T[2,3]
  aten::div.Scalar_mode_out | T[2,3] | 2 | "floor" -> T[2,3]
  aten::div.Scalar_out | T[2,3] | 2 -> F[2,3]
  aten::div.out | T[2,3] | T[2,3] -> F[2,3]
  aten::div.out_mode | T[2,3] | T[2,3] | "trunc" -> T[2,3]
  aten::eq.Scalar_out | T[2,3] | 2 -> bool[2,3]
  aten::eq.Tensor_out | T[2,3] | T[2,3] -> bool[2,3]
  aten::floor_divide.out | T[2,3] | T[2,3] -> T[2,3]
  aten::fmod.Scalar_out | T[2,3] | 2 -> T[2,3]
  aten::fmod.Tensor_out | T[2,3] | T[2,3] -> T[2,3]
  aten::ge.Scalar_out | T[2,3] | 2 -> bool[2,3]
  aten::ge.Tensor_out | T[2,3] | T[2,3] -> bool[2,3]
  aten::gt.Scalar_out | T[2,3] | 2 -> bool[2,3]
  aten::gt.Tensor_out | T[2,3] | T[2,3] -> bool[2,3]
  aten::le.Scalar_out | T[2,3] | 2 -> bool[2,3]
  aten::le.Tensor_out | T[2,3] | T[2,3] -> bool[2,3]
  aten::logical_and.out | T[2,3] | T[2,3] -> bool[2,3]
  aten::logical_or.out | T[2,3] | T[2,3] -> bool[2,3]
  aten::logical_xor.out | T[2,3] | T[2,3] -> bool[2,3]
  aten::lt.Scalar_out | T[2,3] | 2 -> bool[2,3]
  aten::lt.Tensor_out | T[2,3] | T[2,3] -> bool[2,3]
  aten::maximum.out | T[2,3] | T[2,3] -> T[2,3]
  aten::minimum.out | T[2,3] | T[2,3] -> T[2,3]
  aten::mul.Scalar_out | T[2,3] | 2 -> T[2,3]
  aten::mul.out | T[2,3] | T[2,3] -> T[2,3]
  aten::ne.Scalar_out | T[2,3] | 2 -> bool[2,3]
  aten::ne.Tensor_out | T[2,3] | T[2,3] -> bool[2,3]
  aten::pow.Scalar_out | 2 | T[2,3] -> T[2,3]
  aten::pow.Tensor_Scalar_out | T[2,3] | 2 -> T[2,3]
  aten::pow.Tensor_Tensor_out | T[2,3] | T[2,3] -> T[2,3]
  aten::remainder.Scalar_out | T[2,3] | 2 -> T[2,3]
  aten::remainder.Tensor_out | T[2,3] | T[2,3] -> T[2,3]
  aten::rsub.Scalar_out | T[2,3] | 5 | 1 -> T[2,3]
  aten::sub.Scalar_out | T[2,3] | 1 | 1 -> T[2,3]
  aten::sub.out | T[2,3] | T[2,3] | 1 -> T[2,3]
  aten::where.self_out | bool[2,3]=1,0 | T[2,3] | T[2,3] -> T[2,3]

  # aten: reductions
  aten::amax.out | T[2,3] | [1] | false -> T[2]
  aten::amin.out | T[2,3] | [1] | false -> T[2]
  aten::any.all_out | T[2,3] -> bool[]
  aten::any.dims_out | T[2,3] | [0,1] | false -> bool[]
  aten::any.out | T[2,3] | 1 | false -> bool[2]
  aten::argmax.out | T[2,3] | 1 | false -> int64[2]
  aten::argmin.out | T[2,3] | 1 | false -> int64[2]
  aten::cumsum.out | T[2,3] | 1 | none -> A[2,3]
  aten::max.dim_max | T[2,3] | 1 | false -> T[2], int64[2]
  aten::max.unary_out | T[2,3] -> T[]
  aten::mean.dtype_out | T[2,3] | @F -> F[]
  aten::mean.out | T[2,3] | [1] | false | @F -> F[2]
  aten::min.dim_min | T[2,3] | 1 | false -> T[2], int64[2]
  aten::min.unary_out | T[2,3] -> T[]
  aten::prod.int_out | T[2,3] | 1 | false | none -> A[2]
  aten::prod.out | T[2,3] | none -> A[]
  aten::sum.IntList_out | T[2,3] | [1] | false | none -> A[2]
  aten::topk.values | T[2,3] | 2 | -1 | true | true -> T[2,2], int64[2,2]
  aten::var.correction_out | T[2,3] | [1] | 1 | false -> R[2]
  aten::var.out | T[2,3] | [1] | true | false -> R[2]
  aten::var_mean.correction_out | T[2,3] | [1] | 1 | false -> R[2], F[2]

  # aten: normalisation
  aten::_native_batch_norm_legit.no_stats_out | T[2,3,2] | T[3] | T[3] | true | 0.1 | 0.5 -> T[2,3,2], T[3], T[3]
  aten::_native_batch_norm_legit.out | T[2,3,2] | T[3] | T[3] | T[3] | T[3] | false | 0.1 | 0.5 -> T[2,3,2], T[0], T[0]
  aten::_native_batch_norm_legit_no_training.out | T[2,3,2] | T[3] | T[3] | T[3] | T[3] | 0.1 | 0.5 -> T[2,3,2], T[0], T[0]
  aten::native_dropout.out | T[2,3] | 0.5 | false -> T[2,3], bool[2,3]
  aten::native_group_norm.out | T[2,4,2] | T[4] | T[4] | 2 | 4 | 2 | 2 | 0.5 -> T[2,4,2], T[2,2], T[2,2]
  aten::native_layer_norm.out | T[2,3] | [3] | T[3] | T[3] | 0.5 -> T[2,3], T[2,1], T[2,1]

  # aten: convolution, pooling, products
  aten::_adaptive_avg_pool2d.out | T[1,2,4,4] | [2,2] -> T[1,2,2,2]
  aten::_cdist_forward.out | T[2,3] | T[4,3] | 2.0 | none -> T[2,4]
  aten::_pdist_forward.out | T[3,2] | 2.0 -> T[3]
  aten::addmm.out | T[2,4] | T[2,3] | T[3,4] | 1 | 1 -> T[2,4]
  aten::avg_pool2d.out | T[1,2,4,4] | [2,2] | [] | [0,0] | false | true | none -> T[1,2,2,2]
  aten::bmm.out | T[2,2,3] | T[2,3,2] -> T[2,2,2]
  aten::convolution.out | T[1,2,4,4] | T[3,2,3,3] | T[3] | [1,1] | [1,1] | [1,1] | false | [0,0] | 1 -> T[1,3,4,4]
  aten::convolution_backward.out | T[1,3,2,2] | T[1,2,4,4] | T[3,2,3,3] | [3] | [1,1] | [0,0] | [1,1] | false | [0,0] | 1 | [true,true,true] -> T[1,2,4,4], T[3,2,3,3], T[3]
  aten::linear.out | T[2,3] | T[4,3] | none -> T[2,4]
  aten::max_pool2d_with_indices.out | T[1,2,4,4] | [2,2] | [2,2] | [0,0] | [1,1] | false -> T[1,2,2,2], int64[1,2,2,2]
  aten::max_pool2d_with_indices_backward.grad_input | T[1,1,2,2] | T[1,1,4,4] | [2,2] | [2,2] | [0,0] | [1,1] | false | int64[1,1,2,2]=0,2,8,10 -> T[1,1,4,4]
  aten::mm.out | T[2,3] | T[3,4] -> T[2,4]

  # aten: pictures and spectra
  aten::_fft_c2r.out | T[2,3] | [1] | 0 | 4 -> R[2,4]
  aten::_fft_r2c.out | T[2,4] | [1] | 0 | true -> C[2,3]
  aten::_upsample_bilinear2d_aa.out | T[1,2,4,4] | [2,2] | false | none | none -> T[1,2,2,2]
  aten::grid_sampler_2d.out | T[1,2,3,3] | T[1,2,2,2]=0,0.5 | 0 | 0 | false -> T[1,2,2,2]
  aten::pixel_shuffle.out | T[1,4,2,2] | 2 -> T[1,1,4,4]
  aten::pixel_unshuffle.out | T[1,1,4,4] | 2 -> T[1,4,2,2]
  aten::reflection_pad1d.out | T[2,3] | [1,1] -> T[2,5]
  aten::reflection_pad2d.out | T[1,2,3] | [1,1,1,1] -> T[1,4,5]
  aten::reflection_pad3d.out | T[1,2,2,3] | [1,1,1,1,1,1] -> T[1,4,4,5]
  aten::replication_pad1d.out | T[2,3] | [1,1] -> T[2,5]
  aten::replication_pad2d.out | T[1,2,3] | [1,1,1,1] -> T[1,4,5]
  aten::replication_pad3d.out | T[1,2,2,3] | [1,1,1,1,1,1] -> T[1,4,4,5]
  aten::upsample_bilinear2d.vec_out | T[1,2,2,2] | [4,4] | false | none -> T[1,2,4,4]
  aten::upsample_nearest2d.vec_out | T[1,2,2,2] | [4,4] | none -> T[1,2,4,4]

  # aten: creation
  aten::arange.out | 3 -> T[3]
  aten::arange.start_out | 1 | 4 | 1 -> T[3]
  aten::empty.out | [2,3] | none -> T[2,3]
  aten::fill.Scalar_out | T[2,3] | 1 -> T[2,3]
  aten::fill.Tensor_out | T[2,3] | T[] -> T[2,3]
  aten::full.out | [2,3] | 1 -> T[2,3]
  aten::full_like.out | T[2,3] | 1 | none -> T[2,3]
  aten::ones.out | [2,3] -> T[2,3]
  aten::rand.out | [2,3] -> T[2,3]
  aten::randn.out | [2,3] -> T[2,3]
  aten::scalar_tensor.out | 1 -> T[]
  aten::zeros.out | [2,3] -> T[2,3]

  # aten: copies, views and movement
  aten::_to_copy.out | T[2,3] | false | none -> T[2,3]
  aten::alias_copy.out | T[2,3] -> T[2,3]
  aten::as_strided_copy.out | T[2,3] | [2,2] | [1,2] | 0 -> T[2,2]
  aten::cat.out | {T[2,3];T[2,3]} | 0 -> T[4,3]
  aten::clone.out | T[2,3] | none -> T[2,3]
  aten::constant_pad_nd.out | T[2,3] | [1,1] | 0 -> T[2,5]
  aten::copy.out | T[2,3] | T[2,3] | false -> T[2,3]
  aten::copy_ | T[2,3] | T[2,3] | false -> =0
  aten::detach_copy.out | T[2,3] -> T[2,3]
  aten::diagonal_copy.out | T[2,3] | 0 | 0 | 1 -> T[2]
  aten::expand_copy.out | T[1,3] | [2,3] | false -> T[2,3]
  aten::flip.out | T[2,3] | [1] -> T[2,3]
  aten::lift_fresh_copy.out | T[2,3] -> T[2,3]
  aten::narrow_copy.out | T[2,3] | 1 | 0 | 2 -> T[2,2]
  aten::permute_copy.out | T[2,3] | [1,0] -> T[3,2]
  aten::repeat.out | T[2,3] | [1,2] -> T[2,6]
  aten::repeat_interleave.Tensor_out | T[3]=1,2 | 4 -> T[4]
  aten::roll.out | T[2,3] | [1] | [1] -> T[2,3]
  aten::select_copy.int_out | T[2,3] | 1 | 0 -> T[2]
  aten::slice_copy.Tensor_out | T[2,3] | 1 | 0 | 2 | 1 -> T[2,2]
  aten::split_copy.Tensor_out | T[4,3] | 2 | 0 -> {T[2,3];T[2,3]}
  aten::split_with_sizes_copy.out | T[4,3] | [1,3] | 0 -> {T[1,3];T[3,3]}
  aten::squeeze_copy.dim_out | T[2,1,3] | 1 -> T[2,3]
  aten::squeeze_copy.dims_out | T[2,1,3] | [1] -> T[2,3]
  aten::stack.out | {T[2,3];T[2,3]} | 0 -> T[2,2,3]
  aten::t_copy.out | T[2,3] -> T[3,2]
  aten::transpose_copy.int_out | T[2,3] | 0 | 1 -> T[3,2]
  aten::tril.out | T[3,3] | 0 -> T[3,3]
  aten::triu.out | T[3,3] | 0 -> T[3,3]
  aten::unbind_copy.int_out | T[2,3] | 0 -> {T[3];T[3]}
  aten::unfold_copy.out | T[2,4] | 1 | 2 | 1 -> T[2,3,2]
  aten::unsqueeze_copy.out | T[2,3] | 1 -> T[2,1,3]
  aten::view_as_real_copy.out | T[2,3] -> R[2,3,2]
  aten::view_copy.out | T[2,3] | [3,2] -> T[3,2]

  # aten: indexing
  aten::embedding.out | T[4,3] | int64[2]=0,3 | -1 | false | false -> T[2,3]
  aten::gather.out | T[2,3] | 1 | int64[2,2]=0,2 | false -> T[2,2]
  aten::index.Tensor_out | T[2,3] | ?{none;int64[2]=0,2} -> T[2,2]
  aten::index_put.out | T[2,3] | ?{none;int64[2]=0,2} | T[2,2] | false -> T[2,3]
  aten::index_put_ | T[2,3] | ?{none;int64[2]=0,2} | T[2,2] | false -> =0
  aten::index_select.out | T[2,3] | 1 | int64[2]=0,2 -> T[2,2]
  aten::masked_fill.Scalar_out | T[2,3] | bool[2,3]=1,0 | 1 -> T[2,3]
  aten::masked_scatter.out | T[2,3] | bool[2,3]=1,0 | T[3] -> T[2,3]
  aten::masked_select.out | T[2,3] | bool[2,3]=1,0 -> T[3]
  aten::nonzero.out | T[2,3] -> int64[6,2]
  aten::scatter.src_out | T[2,3] | 1 | int64[2,2]=0,2 | T[2,2] -> T[2,3]
  aten::scatter.value_out | T[2,3] | 1 | int64[2,2]=0,2 | 1 -> T[2,3]
  aten::scatter_add.out | T[2,3] | 1 | int64[2,2]=0,2 | T[2,2] -> T[2,3]
  aten::select_scatter.out | T[2,3] | T[2] | 1 | 0 -> T[2,3]
  aten::slice_scatter.out | T[2,3] | T[2,2] | 1 | 0 | 2 | 1 -> T[2,3]

  # aten: numbers
  aten::_local_scalar_dense | T[]=1 -> K
  aten::sym_numel | T[2,3] -> int
  aten::sym_size.int | T[2,3] | 1 -> int

  # dim_order_ops, et_copy
  dim_order_ops::_clone_dim_order.out | T[2,3] | false | none -> T[2,3]
  dim_order_ops::_empty_dim_order.out | [2,3] | none -> T[2,3]
  dim_order_ops::_to_dim_order_copy.out | T[2,3] | false | none -> T[2,3]
  et_copy::_d2h_copy.out | T[2,3] -> T[2,3]
  et_copy::_h2d_copy.out | T[2,3] -> T[2,3]

  # quantized_decomposed: T is the type of the quantised tensor where there is one
  quantized_decomposed::add.out | T[2,3] | 0.5 | 0 | 0 | 127 | T[2,3] | 0.5 | 0 | 0 | 127 | 0.5 | 0 | 0 | 127 -> T[2,3]
  quantized_decomposed::choose_qparams.Tensor_out | T[2,3] | 0 | 127 | 0.001 | @uint8 -> float64[1], int64[1]
  quantized_decomposed::choose_qparams_per_token_asymmetric.out | T[2,3] | @int8 -> float64[2,1], int64[2,1]
  quantized_decomposed::dequantize_per_channel.out | T[2,3] | float64[3]=0.5 | int64[3]=0 | 1 | 0 | 127 | @T | none -> float32[2,3]
  quantized_decomposed::dequantize_per_tensor.Tensor_out | T[2,3] | float64[1]=0.5 | int64[1]=0 | 0 | 127 | @T | none -> float32[2,3]
  quantized_decomposed::dequantize_per_tensor.out | T[2,3] | 0.5 | 0 | 0 | 127 | @T | none -> float32[2,3]
  quantized_decomposed::dequantize_per_token.out | T[2,3] | float64[2,1]=0.5 | int64[2,1]=0 | 0 | 127 | @T | @float32 -> float32[2,3]
  quantized_decomposed::embedding_2bit.dtype_out | uint8[4,2]=27 | T[4]=0.5 | none | -2 | 1 | int64[2]=0,3 | @T -> T[2,8]
  quantized_decomposed::embedding_2bit.out | uint8[4,2]=27 | T[4]=0.5 | none | -2 | 1 | int64[2]=0,3 -> T[2,8]
  quantized_decomposed::embedding_4bit.dtype_out | uint8[4,2]=27 | T[4]=0.5 | none | -8 | 7 | int64[2]=0,3 | @T -> T[2,4]
  quantized_decomposed::embedding_4bit.out | uint8[4,2]=27 | T[4]=0.5 | none | -8 | 7 | int64[2]=0,3 -> T[2,4]
  quantized_decomposed::embedding_byte.dtype_out | int8[4,3] | T[4]=0.5 | none | -128 | 127 | int64[2]=0,3 | @T -> T[2,3]
  quantized_decomposed::embedding_byte.out | T[4,3] | float32[4]=0.5 | none | 0 | 127 | int64[2]=0,3 -> float32[2,3]
  quantized_decomposed::mixed_linear.out | T[2,3] | int8[4,3] | T[4]=0.5 | none | none -> T[2,4]
  quantized_decomposed::mixed_mm.out | T[2,3] | int8[3,4] | T[3]=0.5 | none -> T[2,4]
  quantized_decomposed::quantize_per_channel.out | float32[2,3] | float64[3]=0.5 | int64[3]=0 | 1 | 0 | 127 | @T -> T[2,3]
  quantized_decomposed::quantize_per_tensor.Tensor_out | float32[2,3] | float64[1]=0.5 | int64[1]=0 | 0 | 127 | @T -> T[2,3]
  quantized_decomposed::quantize_per_tensor.out | float32[2,3] | 0.5 | 0 | 0 | 127 | @T -> T[2,3]
  quantized_decomposed::quantize_per_token.out | float32[2,3] | float64[2,1]=0.5 | int64[2,1]=0 | 0 | 127 | @T -> T[2,3]

  # executorch_prim: tensors
  executorch_prim::et_copy_index.tensor | T[2,3] | T[3] | 1 -> =0
  executorch_prim::et_view.default | T[2,3] | [3,2] -> T[3,2]

  # executorch_prim: numbers
  executorch_prim::add.Scalar | S=3 | S=2 -> S
  executorch_prim::ceil.Scalar | S=3 -> int
  executorch_prim::eq.Scalar | S=3 | S=2 -> bool
  executorch_prim::floordiv.Scalar | S=3 | S=2 -> S
  executorch_prim::floordiv.int | S=3 | S=2 -> S
  executorch_prim::ge.Scalar | S=3 | S=2 -> bool
  executorch_prim::gt.Scalar | S=3 | S=2 -> bool
  executorch_prim::le.Scalar | S=3 | S=2 -> bool
  executorch_prim::lt.Scalar | S=3 | S=2 -> bool
  executorch_prim::mod.Scalar | S=3 | S=2 -> S
  executorch_prim::mod.int | S=3 | S=2 -> S
  executorch_prim::mul.Scalar | S=3 | S=2 -> S
  executorch_prim::neg.Scalar | S=3 -> S
  executorch_prim::round.Scalar | S=3 -> int
  executorch_prim::sub.Scalar | S=3 | S=2 -> S
  executorch_prim::sym_float.Scalar | S=3 -> double
  executorch_prim::sym_int.Scalar | S=3 -> int
  executorch_prim::sym_ite.Scalar | true | S=3 | S=2 -> S
  executorch_prim::sym_max.Scalar | S=3 | S=2 -> S
  executorch_prim::sym_min.Scalar | S=3 | S=2 -> S
  executorch_prim::sym_not.Scalar | S=1 -> bool
  executorch_prim::truediv.Scalar | S=3 | S=2 -> double
  executorch_prim::trunc.Scalar | S=3 -> int
  """#
