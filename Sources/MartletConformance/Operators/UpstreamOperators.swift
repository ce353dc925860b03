/// The dtypes that the runtime of ExecuTorch 1.4.1 accepts in the calls of `operatorSamples`: one line per operator.
/// Written by `Oracles/make_operator_dtypes.py`.
let upstreamOperators = """
  aten::_log_softmax.out: float32 float16 bfloat16
  aten::_softmax.out: float32 float64 float16 bfloat16
  aten::abs.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 complex64 complex128
  aten::acos.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::acosh.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::asin.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::asinh.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::atan.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::atanh.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::ceil.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::cos.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::cosh.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::elu.out: float32 float64 float16 bfloat16
  aten::erf.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::exp.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::expm1.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::floor.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::gelu.out: float32 float64 float16 bfloat16
  aten::glu.out: float32 float64 float16 bfloat16
  aten::hardtanh.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::isinf.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::isnan.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::leaky_relu.out: float32 float64 float16 bfloat16
  aten::log.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::log10.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::log1p.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::log2.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::logical_not.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::logit.out: float32 float64 int8 int16 int32 int64 uint8 bool
  aten::neg.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::reciprocal.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::relu.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::round.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::rsqrt.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::sigmoid.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::sign.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::sin.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::sinh.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::sqrt.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::tan.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::tanh.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::trunc.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::bitwise_not.out: int8 int16 int32 int64 uint8 bool
  aten::_conj_physical.out: complex64 complex128
  aten::add.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::add.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::atan2.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::bitwise_and.Scalar_out: int8 int16 int32 int64 uint8
  aten::bitwise_and.Tensor_out: int8 int16 int32 int64 uint8 bool
  aten::bitwise_left_shift.Tensor_Scalar_out: int8 int16 int32 int64 uint8
  aten::bitwise_left_shift.Tensor_out: int8 int16 int32 int64 uint8 bool
  aten::bitwise_or.Scalar_out: int8 int16 int32 int64 uint8
  aten::bitwise_or.Tensor_out: int8 int16 int32 int64 uint8 bool
  aten::bitwise_right_shift.Tensor_Scalar_out: int8 int16 int32 int64 uint8
  aten::bitwise_right_shift.Tensor_out: int8 int16 int32 int64 uint8 bool
  aten::bitwise_xor.Scalar_out: int8 int16 int32 int64 uint8
  aten::bitwise_xor.Tensor_out: int8 int16 int32 int64 uint8 bool
  aten::clamp.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::clamp.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::div.Scalar_mode_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::div.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::div.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::div.out_mode: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::eq.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::eq.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::floor_divide.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::fmod.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::fmod.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::ge.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::ge.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::gt.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::gt.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::le.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::le.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::logical_and.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::logical_or.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::logical_xor.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::lt.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::lt.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::maximum.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::minimum.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::mul.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::mul.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::ne.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::ne.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::pow.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::pow.Tensor_Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::pow.Tensor_Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::remainder.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::remainder.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::rsub.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::sub.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::sub.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 complex64 complex128
  aten::where.self_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::amax.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::amin.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::any.all_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::any.dims_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::any.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::argmax.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::argmin.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::cumsum.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::max.dim_max: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::max.unary_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::mean.dtype_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::mean.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::min.dim_min: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::min.unary_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::prod.int_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::prod.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::sum.IntList_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::topk.values: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::var.correction_out: float32 float64 float16 bfloat16
  aten::var.out: float32 float64 float16 bfloat16
  aten::var_mean.correction_out: float32 float64 float16 bfloat16
  aten::_native_batch_norm_legit.no_stats_out: float32 float64 float16 bfloat16
  aten::_native_batch_norm_legit.out: float32 float64 float16 bfloat16
  aten::_native_batch_norm_legit_no_training.out: float32 float64 float16 bfloat16
  aten::native_dropout.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::native_group_norm.out: float32 float64 float16 bfloat16
  aten::native_layer_norm.out: float32 float64 float16 bfloat16
  aten::_adaptive_avg_pool2d.out: float32 float64 float16 bfloat16 int64
  aten::_cdist_forward.out: float32 float64 float16 bfloat16
  aten::_pdist_forward.out: float32 float64 float16 bfloat16
  aten::addmm.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::avg_pool2d.out: float32 float64 float16 bfloat16 int64
  aten::bmm.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 complex64 complex128
  aten::convolution.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::convolution_backward.out: float32 float64 float16 bfloat16
  aten::linear.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::max_pool2d_with_indices.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::max_pool2d_with_indices_backward.grad_input: float32 float64 float16 bfloat16
  aten::mm.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::_fft_c2r.out: complex64 complex128
  aten::_fft_r2c.out: float32 float64
  aten::_upsample_bilinear2d_aa.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::grid_sampler_2d.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::pixel_shuffle.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::pixel_unshuffle.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::reflection_pad1d.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::reflection_pad2d.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::reflection_pad3d.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::replication_pad1d.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::replication_pad2d.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::replication_pad3d.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::upsample_bilinear2d.vec_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::upsample_nearest2d.vec_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::arange.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::arange.start_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8
  aten::empty.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::fill.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::fill.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::full.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::full_like.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::ones.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::rand.out: float32 float64 float16 bfloat16
  aten::randn.out: float32 float64 float16 bfloat16
  aten::scalar_tensor.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::zeros.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::_to_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::alias_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::as_strided_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::cat.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::clone.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::constant_pad_nd.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::copy_: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::detach_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::diagonal_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::expand_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::flip.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::lift_fresh_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::narrow_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::permute_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::repeat.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::repeat_interleave.Tensor_out: int32 int64
  aten::roll.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::select_copy.int_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::slice_copy.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::split_copy.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::split_with_sizes_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::squeeze_copy.dim_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::squeeze_copy.dims_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::stack.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::t_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::transpose_copy.int_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  aten::tril.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::triu.out:
  aten::unbind_copy.int_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::unfold_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::unsqueeze_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::view_as_real_copy.out: complex64 complex128
  aten::view_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::embedding.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::gather.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::index.Tensor_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::index_put.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::index_put_: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::index_select.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::masked_fill.Scalar_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::masked_scatter.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::masked_select.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::nonzero.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::scatter.src_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::scatter.value_out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::scatter_add.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::select_scatter.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::slice_scatter.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool
  aten::_local_scalar_dense: float32 float64 int8 int16 int32 int64 uint8 bool
  aten::sym_numel: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  aten::sym_size.int: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  dim_order_ops::_clone_dim_order.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  dim_order_ops::_empty_dim_order.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  dim_order_ops::_to_dim_order_copy.out: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool complex64 complex128
  et_copy::_d2h_copy.out:
  et_copy::_h2d_copy.out:
  quantized_decomposed::add.out: int8 int16 int32 int64 uint8
  quantized_decomposed::choose_qparams.Tensor_out: float32
  quantized_decomposed::choose_qparams_per_token_asymmetric.out: float32
  quantized_decomposed::dequantize_per_channel.out: int8 int16 int32 uint8 uint16
  quantized_decomposed::dequantize_per_tensor.Tensor_out: int8 int16 int32 uint8 uint16
  quantized_decomposed::dequantize_per_tensor.out: int8 int16 int32 uint8 uint16
  quantized_decomposed::dequantize_per_token.out: int8 int16 int32 uint8 uint16
  quantized_decomposed::embedding_2bit.dtype_out: float32 float16 bfloat16
  quantized_decomposed::embedding_2bit.out: float32 float16 bfloat16
  quantized_decomposed::embedding_4bit.dtype_out: float32 float16 bfloat16
  quantized_decomposed::embedding_4bit.out: float32 float16 bfloat16
  quantized_decomposed::embedding_byte.dtype_out: float32 float16 bfloat16
  quantized_decomposed::embedding_byte.out: int8 uint8
  quantized_decomposed::mixed_linear.out: float32 float16
  quantized_decomposed::mixed_mm.out: float32 float16
  quantized_decomposed::quantize_per_channel.out: int8 int16 int32 uint8 uint16
  quantized_decomposed::quantize_per_tensor.Tensor_out: int8 int16 int32 uint8 uint16
  quantized_decomposed::quantize_per_tensor.out: int8 int16 int32 uint8 uint16
  quantized_decomposed::quantize_per_token.out: int8 int16 int32 uint8 uint16
  executorch_prim::et_copy_index.tensor: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  executorch_prim::et_view.default: float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
  executorch_prim::add.Scalar: int double
  executorch_prim::ceil.Scalar: double
  executorch_prim::eq.Scalar: int double bool
  executorch_prim::floordiv.Scalar: int double
  executorch_prim::floordiv.int: int
  executorch_prim::ge.Scalar: int double bool
  executorch_prim::gt.Scalar: int double bool
  executorch_prim::le.Scalar: int double bool
  executorch_prim::lt.Scalar: int double bool
  executorch_prim::mod.Scalar: int
  executorch_prim::mod.int: int
  executorch_prim::mul.Scalar: int double
  executorch_prim::neg.Scalar: int double
  executorch_prim::round.Scalar: double
  executorch_prim::sub.Scalar: int double
  executorch_prim::sym_float.Scalar: int double bool
  executorch_prim::sym_int.Scalar: int double bool
  executorch_prim::sym_ite.Scalar: int double bool
  executorch_prim::sym_max.Scalar: int
  executorch_prim::sym_min.Scalar: int
  executorch_prim::sym_not.Scalar: bool
  executorch_prim::truediv.Scalar: int double
  executorch_prim::trunc.Scalar: double
  """
