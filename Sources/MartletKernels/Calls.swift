// swift-format-ignore-file
// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit.
@_implementationOnly import CMartletKernels

typealias mk_cache_reporter = CMartletKernels.mk_cache_reporter
typealias mk_status = CMartletKernels.mk_status
typealias mk_unary_op = CMartletKernels.mk_unary_op
typealias mk_reduce_op = CMartletKernels.mk_reduce_op
typealias mk_epilogue = CMartletKernels.mk_epilogue
typealias mk_gemm = CMartletKernels.mk_gemm
typealias mk_stored_matrix = CMartletKernels.mk_stored_matrix
typealias mk_stored_product = CMartletKernels.mk_stored_product
typealias mk_conv2d = CMartletKernels.mk_conv2d
typealias mk_q8_output = CMartletKernels.mk_q8_output
typealias mk_q8_conv2d = CMartletKernels.mk_q8_conv2d
typealias mk_q4_linear = CMartletKernels.mk_q4_linear
typealias mk_q4_in_place = CMartletKernels.mk_q4_in_place
typealias mk_q8_in_place = CMartletKernels.mk_q8_in_place
typealias mk_q8_binary = CMartletKernels.mk_q8_binary
typealias mk_q8_pool2d = CMartletKernels.mk_q8_pool2d
typealias mk_pool_axis = CMartletKernels.mk_pool_axis
typealias mk_pool2d = CMartletKernels.mk_pool2d
typealias mk_pool_gradient2d = CMartletKernels.mk_pool_gradient2d
typealias mk_attention_scaling = CMartletKernels.mk_attention_scaling
typealias mk_attention = CMartletKernels.mk_attention
typealias mk_bf16_terms = CMartletKernels.mk_bf16_terms
typealias mk_bf16_unit_kind = CMartletKernels.mk_bf16_unit_kind
typealias mk_bf16_conv2d = CMartletKernels.mk_bf16_conv2d
typealias mk_peak_kind = CMartletKernels.mk_peak_kind
typealias mk_resampling = CMartletKernels.mk_resampling
typealias mk_chroma_matrix = CMartletKernels.mk_chroma_matrix
typealias mk_luma_matrix = CMartletKernels.mk_luma_matrix
typealias mk_threads_census = CMartletKernels.mk_threads_census
typealias mk_team = CMartletKernels.mk_team
typealias mk_team_body = CMartletKernels.mk_team_body
typealias mk_tree_node16 = CMartletKernels.mk_tree_node16
typealias mk_tree_node32 = CMartletKernels.mk_tree_node32
typealias mk_forest = CMartletKernels.mk_forest
typealias mk_tree_column = CMartletKernels.mk_tree_column

@inline(__always) var MK_COPY_MAX_RANK: Int { CMartletKernels.MK_COPY_MAX_RANK }
@inline(__always) var MK_CACHES_FROM_PROCESSOR: mk_cache_reporter { CMartletKernels.MK_CACHES_FROM_PROCESSOR }
@inline(__always) var MK_CACHES_FROM_SYSTEM: mk_cache_reporter { CMartletKernels.MK_CACHES_FROM_SYSTEM }
@inline(__always) var MK_STATUS_DIV_ZERO: mk_status { CMartletKernels.MK_STATUS_DIV_ZERO }
@inline(__always) var MK_UNARY_TANH: mk_unary_op { CMartletKernels.MK_UNARY_TANH }
@inline(__always) var MK_UNARY_SIGMOID: mk_unary_op { CMartletKernels.MK_UNARY_SIGMOID }
@inline(__always) var MK_UNARY_RELU: mk_unary_op { CMartletKernels.MK_UNARY_RELU }
@inline(__always) var MK_REDUCE_SUM: mk_reduce_op { CMartletKernels.MK_REDUCE_SUM }
@inline(__always) var MK_REDUCE_SUM_ABS: mk_reduce_op { CMartletKernels.MK_REDUCE_SUM_ABS }
@inline(__always) var MK_REDUCE_SUM_SQUARES: mk_reduce_op { CMartletKernels.MK_REDUCE_SUM_SQUARES }
@inline(__always) var MK_REDUCE_PROD: mk_reduce_op { CMartletKernels.MK_REDUCE_PROD }
@inline(__always) var MK_REDUCE_MAX: mk_reduce_op { CMartletKernels.MK_REDUCE_MAX }
@inline(__always) var MK_REDUCE_MIN: mk_reduce_op { CMartletKernels.MK_REDUCE_MIN }
@inline(__always) var MK_REDUCE_ANY: mk_reduce_op { CMartletKernels.MK_REDUCE_ANY }
@inline(__always) var MK_REDUCE_ALL: mk_reduce_op { CMartletKernels.MK_REDUCE_ALL }
@inline(__always) var MK_HALVES_ROWS: Int32 { CMartletKernels.MK_HALVES_ROWS }
@inline(__always) var MK_CONV_HALF_TAPS: Int32 { CMartletKernels.MK_CONV_HALF_TAPS }
@inline(__always) var MK_Q8_TO_INT8: mk_q8_output { CMartletKernels.MK_Q8_TO_INT8 }
@inline(__always) var MK_Q8_TO_UINT8: mk_q8_output { CMartletKernels.MK_Q8_TO_UINT8 }
@inline(__always) var MK_Q8_TO_F32: mk_q8_output { CMartletKernels.MK_Q8_TO_F32 }
@inline(__always) var MK_ATTENTION_ROWS: Int32 { CMartletKernels.MK_ATTENTION_ROWS }
@inline(__always) var MK_ATTENTION_STRETCHES: Int32 { CMartletKernels.MK_ATTENTION_STRETCHES }
@inline(__always) var MK_BF16_PLAIN: mk_bf16_terms { CMartletKernels.MK_BF16_PLAIN }
@inline(__always) var MK_BF16_SPLIT: mk_bf16_terms { CMartletKernels.MK_BF16_SPLIT }
@inline(__always) var MK_BF16_VECTORS: mk_bf16_unit_kind { CMartletKernels.MK_BF16_VECTORS }
@inline(__always) var MK_BF16_TILES: mk_bf16_unit_kind { CMartletKernels.MK_BF16_TILES }
@inline(__always) var MK_BF16_PANEL: Int32 { CMartletKernels.MK_BF16_PANEL }
@inline(__always) var MK_PEAK_F32: mk_peak_kind { CMartletKernels.MK_PEAK_F32 }
@inline(__always) var MK_PEAK_BF16: mk_peak_kind { CMartletKernels.MK_PEAK_BF16 }
@inline(__always) var MK_PEAK_INT8: mk_peak_kind { CMartletKernels.MK_PEAK_INT8 }
@inline(__always) var MK_PEAK_CLOCK: mk_peak_kind { CMartletKernels.MK_PEAK_CLOCK }
@inline(__always) var MK_RESAMPLE_BITS: Int { CMartletKernels.MK_RESAMPLE_BITS }
@inline(__always) var MK_RESAMPLE_LOW_BITS: Int { CMartletKernels.MK_RESAMPLE_LOW_BITS }
@inline(__always) var MK_RESAMPLE_TAPS: Int { CMartletKernels.MK_RESAMPLE_TAPS }
@inline(__always) var MK_THREADS_MAX: Int { CMartletKernels.MK_THREADS_MAX }
@inline(__always) var MK_TREE_RANK_PADDING: Int32 { CMartletKernels.MK_TREE_RANK_PADDING }

@inline(__always) func mk_convert(_ src_dtype: Int32, _ src: UnsafeRawPointer, _ src_stride: Int, _ dst_dtype: Int32, _ dst: UnsafeMutableRawPointer, _ n: Int) { unsafe CMartletKernels.mk_convert(src_dtype, src, src_stride, dst_dtype, dst, n) }
@inline(__always) func mk_copy_strided(_ element_size: Int32, _ rank: Int32, _ shape: UnsafePointer<Int>?, _ src: UnsafeRawPointer, _ src_strides: UnsafePointer<Int>?, _ dst: UnsafeMutableRawPointer, _ dst_strides: UnsafePointer<Int>?) { unsafe CMartletKernels.mk_copy_strided(element_size, rank, shape, src, src_strides, dst, dst_strides) }
@inline(__always) func mk_convert_strided(_ src_dtype: Int32, _ dst_dtype: Int32, _ rank: Int32, _ shape: UnsafePointer<Int>?, _ src: UnsafeRawPointer, _ src_strides: UnsafePointer<Int>?, _ dst: UnsafeMutableRawPointer, _ dst_strides: UnsafePointer<Int>?) { unsafe CMartletKernels.mk_convert_strided(src_dtype, dst_dtype, rank, shape, src, src_strides, dst, dst_strides) }
@inline(__always) func mk_fill(_ element_size: Int32, _ value: UnsafeRawPointer, _ dst: UnsafeMutableRawPointer, _ n: Int) { unsafe CMartletKernels.mk_fill(element_size, value, dst, n) }
@inline(__always) func mk_isa() -> Int32 { CMartletKernels.mk_isa() }
@inline(__always) func mk_isa_name(_ isa: Int32) -> UnsafePointer<CChar> { unsafe CMartletKernels.mk_isa_name(isa) }
@inline(__always) func mk_cpu_features() -> UInt32 { CMartletKernels.mk_cpu_features() }
@inline(__always) func mk_isa_step_name(_ index: Int32) -> UnsafePointer<CChar>? { unsafe CMartletKernels.mk_isa_step_name(index) }
@inline(__always) func mk_isa_has_step(_ index: Int32) -> Int32 { CMartletKernels.mk_isa_has_step(index) }
@inline(__always) func mk_isa_step() -> Int32 { CMartletKernels.mk_isa_step() }
@inline(__always) func mk_isa_request_is_known() -> Int32 { CMartletKernels.mk_isa_request_is_known() }
@inline(__always) func mk_gathers_are_fast() -> Int32 { CMartletKernels.mk_gathers_are_fast() }
@inline(__always) func mk_processor_count() -> Int32 { CMartletKernels.mk_processor_count() }
@inline(__always) func mk_cache_bytes(_ level: Int32) -> Int { CMartletKernels.mk_cache_bytes(level) }
@inline(__always) func mk_plausible_cache_bytes(_ level: Int32, _ bytes: Int) -> Int { CMartletKernels.mk_plausible_cache_bytes(level, bytes) }
@inline(__always) func mk_cache_reporter_of_sizes() -> Int32 { CMartletKernels.mk_cache_reporter_of_sizes() }
@inline(__always) func mk_cache_block_bytes() -> Int { CMartletKernels.mk_cache_block_bytes() }
@inline(__always) func mk_softmax_rows_f32(_ rows: Int, _ cols: Int, _ x: UnsafePointer<Float>, _ x_row_stride: Int, _ y: UnsafeMutablePointer<Float>, _ y_row_stride: Int, _ log: Int32) { unsafe CMartletKernels.mk_softmax_rows_f32(rows, cols, x, x_row_stride, y, y_row_stride, log) }
@inline(__always) func mk_softmax_rows_f64(_ rows: Int, _ cols: Int, _ x: UnsafePointer<Double>, _ x_row_stride: Int, _ y: UnsafeMutablePointer<Double>, _ y_row_stride: Int, _ log: Int32) { unsafe CMartletKernels.mk_softmax_rows_f64(rows, cols, x, x_row_stride, y, y_row_stride, log) }
@inline(__always) func mk_softmax_maximum_f32(_ n: Int, _ x: UnsafePointer<Float>) -> Float { unsafe CMartletKernels.mk_softmax_maximum_f32(n, x) }
@inline(__always) func mk_softmax_powers_f32(_ n: Int, _ x: UnsafePointer<Float>, _ largest: Float, _ y: UnsafeMutablePointer<Float>, _ log: Int32) -> Double { unsafe CMartletKernels.mk_softmax_powers_f32(n, x, largest, y, log) }
@inline(__always) func mk_softmax_finish_f32(_ n: Int, _ x: UnsafePointer<Float>, _ largest: Float, _ sum: Double, _ y: UnsafeMutablePointer<Float>, _ log: Int32) { unsafe CMartletKernels.mk_softmax_finish_f32(n, x, largest, sum, y, log) }
@inline(__always) func mk_softmax_cols_f32(_ outer: Int, _ axis: Int, _ inner: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ log: Int32) { unsafe CMartletKernels.mk_softmax_cols_f32(outer, axis, inner, x, y, log) }
@inline(__always) func mk_softmax_cols_f64(_ outer: Int, _ axis: Int, _ inner: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ log: Int32) { unsafe CMartletKernels.mk_softmax_cols_f64(outer, axis, inner, x, y, log) }
@inline(__always) func mk_layer_norm_rows_f32(_ rows: Int, _ cols: Int, _ x: UnsafePointer<Float>, _ gamma: UnsafePointer<Float>?, _ beta: UnsafePointer<Float>?, _ eps: Double, _ y: UnsafeMutablePointer<Float>, _ mean_out: UnsafeMutablePointer<Float>?, _ rstd_out: UnsafeMutablePointer<Float>?) { unsafe CMartletKernels.mk_layer_norm_rows_f32(rows, cols, x, gamma, beta, eps, y, mean_out, rstd_out) }
@inline(__always) func mk_rms_norm_rows_f32(_ rows: Int, _ cols: Int, _ x: UnsafePointer<Float>, _ gamma: UnsafePointer<Float>?, _ eps: Double, _ y: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_rms_norm_rows_f32(rows, cols, x, gamma, eps, y) }
@inline(__always) func mk_scale_shift_rows_f32(_ rows: Int, _ channels: Int, _ x: UnsafePointer<Float>, _ scale: UnsafePointer<Float>, _ shift: UnsafePointer<Float>?, _ y: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_scale_shift_rows_f32(rows, channels, x, scale, shift, y) }
@inline(__always) func mk_scale_shift_planes_f32(_ planes: Int, _ plane_size: Int, _ x: UnsafePointer<Float>, _ scale: UnsafePointer<Float>, _ shift: UnsafePointer<Float>?, _ y: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_scale_shift_planes_f32(planes, plane_size, x, scale, shift, y) }
@inline(__always) func mk_unary_f32(_ op: Int32, _ n: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>) -> Int32 { unsafe CMartletKernels.mk_unary_f32(op, n, x, y) }
@inline(__always) func mk_unary_f64(_ op: Int32, _ n: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>) -> Int32 { unsafe CMartletKernels.mk_unary_f64(op, n, x, y) }
@inline(__always) func mk_unary_i64(_ op: Int32, _ n: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>) -> Int32 { unsafe CMartletKernels.mk_unary_i64(op, n, x, y) }
@inline(__always) func mk_binary_f32(_ op: Int32, _ n: Int, _ a: UnsafePointer<Float>, _ sa: Int, _ b: UnsafePointer<Float>, _ sb: Int, _ y: UnsafeMutablePointer<Float>) -> Int32 { unsafe CMartletKernels.mk_binary_f32(op, n, a, sa, b, sb, y) }
@inline(__always) func mk_binary_f64(_ op: Int32, _ n: Int, _ a: UnsafePointer<Double>, _ sa: Int, _ b: UnsafePointer<Double>, _ sb: Int, _ y: UnsafeMutablePointer<Double>) -> Int32 { unsafe CMartletKernels.mk_binary_f64(op, n, a, sa, b, sb, y) }
@inline(__always) func mk_binary_i64(_ op: Int32, _ n: Int, _ a: UnsafePointer<Int64>, _ sa: Int, _ b: UnsafePointer<Int64>, _ sb: Int, _ y: UnsafeMutablePointer<Int64>) -> Int32 { unsafe CMartletKernels.mk_binary_i64(op, n, a, sa, b, sb, y) }
@inline(__always) func mk_binary_u64(_ op: Int32, _ n: Int, _ a: UnsafePointer<UInt64>, _ sa: Int, _ b: UnsafePointer<UInt64>, _ sb: Int, _ y: UnsafeMutablePointer<UInt64>) -> Int32 { unsafe CMartletKernels.mk_binary_u64(op, n, a, sa, b, sb, y) }
@inline(__always) func mk_ternary_f32(_ op: Int32, _ n: Int, _ a: UnsafePointer<Float>, _ sa: Int, _ b: UnsafePointer<Float>, _ sb: Int, _ c: UnsafePointer<Float>, _ sc: Int, _ y: UnsafeMutablePointer<Float>) -> Int32 { unsafe CMartletKernels.mk_ternary_f32(op, n, a, sa, b, sb, c, sc, y) }
@inline(__always) func mk_ternary_f64(_ op: Int32, _ n: Int, _ a: UnsafePointer<Double>, _ sa: Int, _ b: UnsafePointer<Double>, _ sb: Int, _ c: UnsafePointer<Double>, _ sc: Int, _ y: UnsafeMutablePointer<Double>) -> Int32 { unsafe CMartletKernels.mk_ternary_f64(op, n, a, sa, b, sb, c, sc, y) }
@inline(__always) func mk_ternary_i64(_ op: Int32, _ n: Int, _ a: UnsafePointer<Int64>, _ sa: Int, _ b: UnsafePointer<Int64>, _ sb: Int, _ c: UnsafePointer<Int64>, _ sc: Int, _ y: UnsafeMutablePointer<Int64>) -> Int32 { unsafe CMartletKernels.mk_ternary_i64(op, n, a, sa, b, sb, c, sc, y) }
@inline(__always) func mk_shift_i64(_ op: Int32, _ bits: Int32, _ is_signed: Int32, _ n: Int, _ a: UnsafePointer<Int64>, _ sa: Int, _ b: UnsafePointer<Int64>, _ sb: Int, _ y: UnsafeMutablePointer<Int64>) -> Int32 { unsafe CMartletKernels.mk_shift_i64(op, bits, is_signed, n, a, sa, b, sb, y) }
@inline(__always) func mk_wrap_i64(_ bits: Int32, _ is_signed: Int32, _ n: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_wrap_i64(bits, is_signed, n, x, y) }
@inline(__always) func mk_round_f32(_ dtype: Int32, _ n: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_round_f32(dtype, n, x, y) }
@inline(__always) func mk_reduce_name(_ op: Int32) -> UnsafePointer<CChar>? { unsafe CMartletKernels.mk_reduce_name(op) }
@inline(__always) func mk_reduce_rows_f32(_ op: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_reduce_rows_f32(op, rows, cols, row_stride, x, y) }
@inline(__always) func mk_reduce_rows_f64(_ op: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>) { unsafe CMartletKernels.mk_reduce_rows_f64(op, rows, cols, row_stride, x, y) }
@inline(__always) func mk_reduce_rows_i64(_ op: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_reduce_rows_i64(op, rows, cols, row_stride, x, y) }
@inline(__always) func mk_reduce_cols_f32(_ op: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_reduce_cols_f32(op, rows, cols, row_stride, x, y) }
@inline(__always) func mk_reduce_cols_f64(_ op: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>) { unsafe CMartletKernels.mk_reduce_cols_f64(op, rows, cols, row_stride, x, y) }
@inline(__always) func mk_reduce_cols_i64(_ op: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_reduce_cols_i64(op, rows, cols, row_stride, x, y) }
@inline(__always) func mk_arg_rows_f32(_ want_max: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_arg_rows_f32(want_max, rows, cols, row_stride, x, y) }
@inline(__always) func mk_arg_rows_f64(_ want_max: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_arg_rows_f64(want_max, rows, cols, row_stride, x, y) }
@inline(__always) func mk_arg_rows_i64(_ want_max: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_arg_rows_i64(want_max, rows, cols, row_stride, x, y) }
@inline(__always) func mk_arg_cols_f32(_ want_max: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_arg_cols_f32(want_max, rows, cols, row_stride, x, y) }
@inline(__always) func mk_arg_cols_f64(_ want_max: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_arg_cols_f64(want_max, rows, cols, row_stride, x, y) }
@inline(__always) func mk_arg_cols_i64(_ want_max: Int32, _ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>) { unsafe CMartletKernels.mk_arg_cols_i64(want_max, rows, cols, row_stride, x, y) }
@inline(__always) func mk_moments_rows_f32(_ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Float>, _ mean: UnsafeMutablePointer<Float>?, _ squared_deviations: UnsafeMutablePointer<Float>?) { unsafe CMartletKernels.mk_moments_rows_f32(rows, cols, row_stride, x, mean, squared_deviations) }
@inline(__always) func mk_moments_rows_f64(_ rows: Int, _ cols: Int, _ row_stride: Int, _ x: UnsafePointer<Double>, _ mean: UnsafeMutablePointer<Double>?, _ squared_deviations: UnsafeMutablePointer<Double>?) { unsafe CMartletKernels.mk_moments_rows_f64(rows, cols, row_stride, x, mean, squared_deviations) }
@inline(__always) func mk_gemm_panel_width() -> Int { CMartletKernels.mk_gemm_panel_width() }
@inline(__always) func mk_gemm_panel_count(_ n: Int) -> Int { CMartletKernels.mk_gemm_panel_count(n) }
@inline(__always) func mk_gemm_packed_count(_ k: Int, _ n: Int) -> Int { CMartletKernels.mk_gemm_packed_count(k, n) }
@inline(__always) func mk_gemm_pack_b(_ b: UnsafeRawPointer, _ dtype: Int32, _ k_stride: Int, _ n_stride: Int, _ k: Int, _ n: Int, _ panel0: Int, _ panel1: Int, _ column_scale: UnsafePointer<Float>?, _ packed: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_gemm_pack_b(b, dtype, k_stride, n_stride, k, n, panel0, panel1, column_scale, packed) }
@inline(__always) func mk_gemm_pack_halves(_ b: UnsafeRawPointer, _ dtype: Int32, _ k_stride: Int, _ n_stride: Int, _ k: Int, _ n: Int, _ panel0: Int, _ panel1: Int, _ packed: UnsafeMutablePointer<UInt16>) { unsafe CMartletKernels.mk_gemm_pack_halves(b, dtype, k_stride, n_stride, k, n, panel0, panel1, packed) }
@inline(__always) func mk_gemm_scratch_count(_ k: Int, _ n: Int, _ rows: Int, _ copies_a: Int32, _ b_is_half: Int32) -> Int { CMartletKernels.mk_gemm_scratch_count(k, n, rows, copies_a, b_is_half) }
@inline(__always) func mk_gemm_rows_at_once(_ k: Int) -> Int { CMartletKernels.mk_gemm_rows_at_once(k) }
@inline(__always) func mk_gemm_f32(_ gemm: UnsafePointer<mk_gemm>, _ m0: Int, _ m1: Int, _ panel0: Int, _ panel1: Int) { unsafe CMartletKernels.mk_gemm_f32(gemm, m0, m1, panel0, panel1) }
@inline(__always) func mk_stored_rows(_ dtype: Int32) -> Int { CMartletKernels.mk_stored_rows(dtype) }
@inline(__always) func mk_stored_arranged_count(_ matrix: UnsafePointer<mk_stored_matrix>) -> Int { unsafe CMartletKernels.mk_stored_arranged_count(matrix) }
@inline(__always) func mk_stored_arrange_row(_ matrix: UnsafePointer<mk_stored_matrix>, _ x: UnsafeRawPointer, _ stride: Int, _ dtype: Int32, _ arranged: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_stored_arrange_row(matrix, x, stride, dtype, arranged) }
@inline(__always) func mk_stored_product_run(_ product: UnsafePointer<mk_stored_product>, _ m0: Int, _ m1: Int, _ panel0: Int, _ panel1: Int) { unsafe CMartletKernels.mk_stored_product_run(product, m0, m1, panel0, panel1) }
@inline(__always) func mk_stored_gemm_count(_ k: Int) -> Int { CMartletKernels.mk_stored_gemm_count(k) }
@inline(__always) func mk_stored_gemm(_ gemm: UnsafePointer<mk_gemm>, _ matrix: UnsafePointer<mk_stored_matrix>, _ panels: UnsafeMutablePointer<Float>, _ rows: Int, _ m0: Int, _ m1: Int, _ panel0: Int, _ panel1: Int) { unsafe CMartletKernels.mk_stored_gemm(gemm, matrix, panels, rows, m0, m1, panel0, panel1) }
@inline(__always) func mk_conv2d_packed_count(_ groups: Int, _ output_channels: Int, _ input_channels: Int, _ taps: Int) -> Int { CMartletKernels.mk_conv2d_packed_count(groups, output_channels, input_channels, taps) }
@inline(__always) func mk_conv2d_pack_weights(_ w: UnsafeRawPointer, _ dtype: Int32, _ o_stride: Int, _ i_stride: Int, _ y_stride: Int, _ x_stride: Int, _ groups: Int, _ output_channels: Int, _ input_channels: Int, _ kernel_height: Int, _ kernel_width: Int, _ o_scale: UnsafePointer<Float>?, _ packed: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_conv2d_pack_weights(w, dtype, o_stride, i_stride, y_stride, x_stride, groups, output_channels, input_channels, kernel_height, kernel_width, o_scale, packed) }
@inline(__always) func mk_conv2d_pack_halves(_ w: UnsafeRawPointer, _ dtype: Int32, _ o_stride: Int, _ i_stride: Int, _ y_stride: Int, _ x_stride: Int, _ groups: Int, _ output_channels: Int, _ input_channels: Int, _ kernel_height: Int, _ kernel_width: Int, _ packed: UnsafeMutablePointer<UInt16>) { unsafe CMartletKernels.mk_conv2d_pack_halves(w, dtype, o_stride, i_stride, y_stride, x_stride, groups, output_channels, input_channels, kernel_height, kernel_width, packed) }
@inline(__always) func mk_conv2d_scratch_count(_ conv: UnsafePointer<mk_conv2d>) -> Int { unsafe CMartletKernels.mk_conv2d_scratch_count(conv) }
@inline(__always) func mk_conv2d_copies_windows(_ conv: UnsafePointer<mk_conv2d>) -> Int32 { unsafe CMartletKernels.mk_conv2d_copies_windows(conv) }
@inline(__always) func mk_conv2d_f32(_ conv: UnsafePointer<mk_conv2d>, _ row0: Int, _ row1: Int, _ panel0: Int, _ panel1: Int, _ scratch: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_conv2d_f32(conv, row0, row1, panel0, panel1, scratch) }
@inline(__always) func mk_depthwise2d_f32(_ conv: UnsafePointer<mk_conv2d>, _ row0: Int, _ row1: Int, _ channel0: Int, _ channel1: Int) { unsafe CMartletKernels.mk_depthwise2d_f32(conv, row0, row1, channel0, channel1) }
@inline(__always) func mk_depthwise2d_f16(_ conv: UnsafePointer<mk_conv2d>, _ row0: Int, _ row1: Int, _ channel0: Int, _ channel1: Int) { unsafe CMartletKernels.mk_depthwise2d_f16(conv, row0, row1, channel0, channel1) }
@inline(__always) func mk_depthwise2d_bf16(_ conv: UnsafePointer<mk_conv2d>, _ row0: Int, _ row1: Int, _ channel0: Int, _ channel1: Int) { unsafe CMartletKernels.mk_depthwise2d_bf16(conv, row0, row1, channel0, channel1) }
@inline(__always) func mk_winograd_packed_count(_ output_channels: Int, _ input_channels: Int, _ m: Int) -> Int { CMartletKernels.mk_winograd_packed_count(output_channels, input_channels, m) }
@inline(__always) func mk_winograd_pack_weights(_ w: UnsafeRawPointer, _ dtype: Int32, _ o_stride: Int, _ i_stride: Int, _ y_stride: Int, _ x_stride: Int, _ output_channels: Int, _ input_channels: Int, _ m: Int, _ packed: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_winograd_pack_weights(w, dtype, o_stride, i_stride, y_stride, x_stride, output_channels, input_channels, m, packed) }
@inline(__always) func mk_winograd_tile_count(_ conv: UnsafePointer<mk_conv2d>, _ images: Int, _ m: Int) -> Int { unsafe CMartletKernels.mk_winograd_tile_count(conv, images, m) }
@inline(__always) func mk_winograd_block_tiles(_ output_channels: Int, _ input_channels: Int, _ weights_are_half: Int32, _ m: Int) -> Int { CMartletKernels.mk_winograd_block_tiles(output_channels, input_channels, weights_are_half, m) }
@inline(__always) func mk_winograd_scratch_count(_ conv: UnsafePointer<mk_conv2d>, _ m: Int, _ tiles: Int) -> Int { unsafe CMartletKernels.mk_winograd_scratch_count(conv, m, tiles) }
@inline(__always) func mk_winograd_f32(_ conv: UnsafePointer<mk_conv2d>, _ m: Int, _ tile0: Int, _ tile1: Int, _ panel0: Int, _ panel1: Int, _ scratch: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_winograd_f32(conv, m, tile0, tile1, panel0, panel1, scratch) }
@inline(__always) func mk_winograd_bf16_takes(_ input_channels: Int) -> Int32 { CMartletKernels.mk_winograd_bf16_takes(input_channels) }
@inline(__always) func mk_winograd_bf16_packed_count(_ output_channels: Int, _ input_channels: Int, _ m: Int) -> Int { CMartletKernels.mk_winograd_bf16_packed_count(output_channels, input_channels, m) }
@inline(__always) func mk_winograd_bf16_pack_weights(_ w: UnsafeRawPointer, _ dtype: Int32, _ o_stride: Int, _ i_stride: Int, _ y_stride: Int, _ x_stride: Int, _ output_channels: Int, _ input_channels: Int, _ m: Int, _ packed: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_winograd_bf16_pack_weights(w, dtype, o_stride, i_stride, y_stride, x_stride, output_channels, input_channels, m, packed) }
@inline(__always) func mk_winograd_bf16_block_tiles(_ conv: UnsafePointer<mk_conv2d>, _ m: Int) -> Int { unsafe CMartletKernels.mk_winograd_bf16_block_tiles(conv, m) }
@inline(__always) func mk_winograd_bf16_scratch_count(_ conv: UnsafePointer<mk_conv2d>, _ m: Int, _ tiles: Int) -> Int { unsafe CMartletKernels.mk_winograd_bf16_scratch_count(conv, m, tiles) }
@inline(__always) func mk_winograd_bf16(_ conv: UnsafePointer<mk_conv2d>, _ m: Int, _ input_dtype: Int32, _ output_dtype: Int32, _ tile0: Int, _ tile1: Int, _ panel0: Int, _ panel1: Int, _ scratch: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_winograd_bf16(conv, m, input_dtype, output_dtype, tile0, tile1, panel0, panel1, scratch) }
@inline(__always) func mk_q8_level_name() -> UnsafePointer<CChar> { unsafe CMartletKernels.mk_q8_level_name() }
@inline(__always) func mk_q8_conv2d_packed_bytes(_ groups: Int, _ output_channels: Int, _ input_channels: Int, _ kernel_height: Int, _ kernel_width: Int) -> Int { CMartletKernels.mk_q8_conv2d_packed_bytes(groups, output_channels, input_channels, kernel_height, kernel_width) }
@inline(__always) func mk_q8_conv2d_pack_weights(_ w: UnsafePointer<Int8>, _ o_stride: Int, _ i_stride: Int, _ y_stride: Int, _ x_stride: Int, _ groups: Int, _ output_channels: Int, _ input_channels: Int, _ kernel_height: Int, _ kernel_width: Int, _ packed: UnsafeMutablePointer<Int8>) { unsafe CMartletKernels.mk_q8_conv2d_pack_weights(w, o_stride, i_stride, y_stride, x_stride, groups, output_channels, input_channels, kernel_height, kernel_width, packed) }
@inline(__always) func mk_q8_conv2d_scratch_bytes(_ conv: UnsafePointer<mk_q8_conv2d>, _ pixels: Int) -> Int { unsafe CMartletKernels.mk_q8_conv2d_scratch_bytes(conv, pixels) }
@inline(__always) func mk_q8_conv2d_run(_ conv: UnsafePointer<mk_q8_conv2d>, _ pixel0: Int, _ pixel1: Int, _ panel0: Int, _ panel1: Int, _ scratch: UnsafeMutableRawPointer) { unsafe CMartletKernels.mk_q8_conv2d_run(conv, pixel0, pixel1, panel0, panel1, scratch) }
@inline(__always) func mk_q8_winograd_is_supported(_ input_channels: Int) -> Int32 { CMartletKernels.mk_q8_winograd_is_supported(input_channels) }
@inline(__always) func mk_q8_winograd_packed_bytes(_ output_channels: Int, _ input_channels: Int) -> Int { CMartletKernels.mk_q8_winograd_packed_bytes(output_channels, input_channels) }
@inline(__always) func mk_q8_winograd_pack_weights(_ w: UnsafePointer<Int8>, _ o_stride: Int, _ i_stride: Int, _ y_stride: Int, _ x_stride: Int, _ output_channels: Int, _ input_channels: Int, _ packed: UnsafeMutablePointer<Int8>) { unsafe CMartletKernels.mk_q8_winograd_pack_weights(w, o_stride, i_stride, y_stride, x_stride, output_channels, input_channels, packed) }
@inline(__always) func mk_q8_winograd_scratch_bytes(_ conv: UnsafePointer<mk_q8_conv2d>, _ tiles: Int) -> Int { unsafe CMartletKernels.mk_q8_winograd_scratch_bytes(conv, tiles) }
@inline(__always) func mk_q8_winograd_run(_ conv: UnsafePointer<mk_q8_conv2d>, _ tile0: Int, _ tile1: Int, _ panel0: Int, _ panel1: Int, _ scratch: UnsafeMutableRawPointer) { unsafe CMartletKernels.mk_q8_winograd_run(conv, tile0, tile1, panel0, panel1, scratch) }
@inline(__always) func mk_q8_depthwise2d_packed_bytes(_ channels: Int, _ kernel_height: Int, _ kernel_width: Int) -> Int { CMartletKernels.mk_q8_depthwise2d_packed_bytes(channels, kernel_height, kernel_width) }
@inline(__always) func mk_q8_depthwise2d_pack_weights(_ w: UnsafePointer<Int8>, _ c_stride: Int, _ y_stride: Int, _ x_stride: Int, _ channels: Int, _ kernel_height: Int, _ kernel_width: Int, _ packed: UnsafeMutablePointer<Int8>) { unsafe CMartletKernels.mk_q8_depthwise2d_pack_weights(w, c_stride, y_stride, x_stride, channels, kernel_height, kernel_width, packed) }
@inline(__always) func mk_q8_depthwise2d_run(_ conv: UnsafePointer<mk_q8_conv2d>, _ row0: Int, _ row1: Int) { unsafe CMartletKernels.mk_q8_depthwise2d_run(conv, row0, row1) }
@inline(__always) func mk_q4_packed_bytes(_ k: Int, _ n: Int, _ block: Int) -> Int { CMartletKernels.mk_q4_packed_bytes(k, n, block) }
@inline(__always) func mk_q4_pack_weights(_ w: UnsafePointer<Int8>, _ n_stride: Int, _ k: Int, _ n: Int, _ block: Int, _ scales: UnsafePointer<Float>, _ s_stride: Int, _ packed: UnsafeMutablePointer<UInt8>) { unsafe CMartletKernels.mk_q4_pack_weights(w, n_stride, k, n, block, scales, s_stride, packed) }
@inline(__always) func mk_q4_linear_run(_ linear: UnsafePointer<mk_q4_linear>, _ m0: Int, _ m1: Int, _ panel0: Int, _ panel1: Int) { unsafe CMartletKernels.mk_q4_linear_run(linear, m0, m1, panel0, panel1) }
@inline(__always) func mk_q4_reads_in_place() -> Int32 { CMartletKernels.mk_q4_reads_in_place() }
@inline(__always) func mk_q4_arranged_bytes(_ k: Int) -> Int { CMartletKernels.mk_q4_arranged_bytes(k) }
@inline(__always) func mk_q4_arrange_row(_ a: UnsafePointer<Int8>, _ k: Int, _ arranged: UnsafeMutablePointer<UInt8>) { unsafe CMartletKernels.mk_q4_arrange_row(a, k, arranged) }
@inline(__always) func mk_q4_in_place_run(_ product: UnsafePointer<mk_q4_in_place>, _ m0: Int, _ m1: Int, _ n0: Int, _ n1: Int) { unsafe CMartletKernels.mk_q4_in_place_run(product, m0, m1, n0, n1) }
@inline(__always) func mk_q4_column_sums(_ product: UnsafePointer<mk_q4_in_place>, _ n0: Int, _ n1: Int, _ sums: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_q4_column_sums(product, n0, n1, sums) }
@inline(__always) func mk_q8_reads_in_place(_ rows: Int) -> Int32 { CMartletKernels.mk_q8_reads_in_place(rows) }
@inline(__always) func mk_q8_in_place_run(_ product: UnsafePointer<mk_q8_in_place>, _ m0: Int, _ m1: Int, _ n0: Int, _ n1: Int) { unsafe CMartletKernels.mk_q8_in_place_run(product, m0, m1, n0, n1) }
@inline(__always) func mk_q8_add(_ op: UnsafePointer<mk_q8_binary>, _ a: UnsafePointer<Int8>, _ b: UnsafePointer<Int8>, _ y: UnsafeMutablePointer<Int8>, _ count: Int) { unsafe CMartletKernels.mk_q8_add(op, a, b, y, count) }
@inline(__always) func mk_q8_mul(_ op: UnsafePointer<mk_q8_binary>, _ a: UnsafePointer<Int8>, _ b: UnsafePointer<Int8>, _ y: UnsafeMutablePointer<Int8>, _ count: Int) { unsafe CMartletKernels.mk_q8_mul(op, a, b, y, count) }
@inline(__always) func mk_q8_scale(_ op: UnsafePointer<mk_q8_binary>, _ x: UnsafePointer<Int8>, _ factors: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Int8>, _ pixels: Int, _ channels: Int) { unsafe CMartletKernels.mk_q8_scale(op, x, factors, y, pixels, channels) }
@inline(__always) func mk_q8_quantize(_ x: UnsafePointer<Float>, _ inverse_scale: Float, _ zero_point: Int32, _ lowest: Int32, _ highest: Int32, _ y: UnsafeMutablePointer<Int8>, _ count: Int) { unsafe CMartletKernels.mk_q8_quantize(x, inverse_scale, zero_point, lowest, highest, y, count) }
@inline(__always) func mk_q8_range(_ x: UnsafePointer<Float>, _ count: Int, _ low: UnsafeMutablePointer<Float>, _ high: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_q8_range(x, count, low, high) }
@inline(__always) func mk_q8_map(_ table: UnsafePointer<Int8>, _ x: UnsafePointer<Int8>, _ y: UnsafeMutablePointer<Int8>, _ count: Int) { unsafe CMartletKernels.mk_q8_map(table, x, y, count) }
@inline(__always) func mk_q8_max_pool2d(_ pool: UnsafePointer<mk_q8_pool2d>, _ row0: Int, _ row1: Int) { unsafe CMartletKernels.mk_q8_max_pool2d(pool, row0, row1) }
@inline(__always) func mk_q8_average_pool2d(_ pool: UnsafePointer<mk_q8_pool2d>, _ row0: Int, _ row1: Int) { unsafe CMartletKernels.mk_q8_average_pool2d(pool, row0, row1) }
@inline(__always) func mk_q8_softmax_rows(_ x: UnsafePointer<Int8>, _ rows: Int, _ count: Int, _ exponentials: UnsafePointer<Float>, _ inverse_scale: Float, _ zero_point: Int32, _ lowest: Int32, _ highest: Int32, _ y: UnsafeMutablePointer<Int8>) { unsafe CMartletKernels.mk_q8_softmax_rows(x, rows, count, exponentials, inverse_scale, zero_point, lowest, highest, y) }
@inline(__always) func mk_max_pool2d(_ pool: UnsafePointer<mk_pool2d>, _ row0: Int, _ row1: Int) { unsafe CMartletKernels.mk_max_pool2d(pool, row0, row1) }
@inline(__always) func mk_average_pool2d(_ pool: UnsafePointer<mk_pool2d>, _ row0: Int, _ row1: Int) { unsafe CMartletKernels.mk_average_pool2d(pool, row0, row1) }
@inline(__always) func mk_max_pool_gradient2d(_ g: UnsafePointer<mk_pool_gradient2d>, _ image: Int, _ channel0: Int, _ channel1: Int) { unsafe CMartletKernels.mk_max_pool_gradient2d(g, image, channel0, channel1) }
@inline(__always) func mk_average_pool_gradient2d(_ g: UnsafePointer<mk_pool_gradient2d>, _ image: Int, _ channel0: Int, _ channel1: Int) { unsafe CMartletKernels.mk_average_pool_gradient2d(g, image, channel0, channel1) }
@inline(__always) func mk_mean_rows(_ x: UnsafeRawPointer, _ dtype: Int32, _ row_stride: Int, _ rows: Int, _ columns: Int, _ mean: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_mean_rows(x, dtype, row_stride, rows, columns, mean) }
@inline(__always) func mk_attention_scratch_count(_ attention: UnsafePointer<mk_attention>) -> Int { unsafe CMartletKernels.mk_attention_scratch_count(attention) }
@inline(__always) func mk_attention_f32(_ attention: UnsafePointer<mk_attention>, _ row0: Int, _ row1: Int, _ scratch: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_attention_f32(attention, row0, row1, scratch) }
@inline(__always) func mk_attention_partial_count(_ attention: UnsafePointer<mk_attention>) -> Int { unsafe CMartletKernels.mk_attention_partial_count(attention) }
@inline(__always) func mk_attention_stretch_scratch_count(_ attention: UnsafePointer<mk_attention>) -> Int { unsafe CMartletKernels.mk_attention_stretch_scratch_count(attention) }
@inline(__always) func mk_attention_stretch(_ attention: UnsafePointer<mk_attention>, _ key0: Int, _ key1: Int, _ partial: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_attention_stretch(attention, key0, key1, partial, scratch) }
@inline(__always) func mk_attention_merge(_ attention: UnsafePointer<mk_attention>, _ partials: UnsafePointer<Float>, _ count: Int, _ stride: Int) { unsafe CMartletKernels.mk_attention_merge(attention, partials, count, stride) }
@inline(__always) func mk_rotary_f32(_ x: UnsafePointer<Float>, _ cosines: UnsafePointer<Float>, _ sines: UnsafePointer<Float>, _ pairs: Int, _ interleaved: Int32, _ y: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_rotary_f32(x, cosines, sines, pairs, interleaved, y) }
@inline(__always) func mk_bf16_unit() -> Int32 { CMartletKernels.mk_bf16_unit() }
@inline(__always) func mk_bf16_is_fast() -> Int32 { CMartletKernels.mk_bf16_is_fast() }
@inline(__always) func mk_bf16_tile_slots() -> Int { CMartletKernels.mk_bf16_tile_slots() }
@inline(__always) func mk_bf16_packed_count(_ terms: Int32, _ groups: Int, _ output_channels: Int, _ input_channels: Int, _ kernel_height: Int, _ kernel_width: Int) -> Int { CMartletKernels.mk_bf16_packed_count(terms, groups, output_channels, input_channels, kernel_height, kernel_width) }
@inline(__always) func mk_bf16_pack_weights(_ terms: Int32, _ w: UnsafeRawPointer, _ dtype: Int32, _ o_stride: Int, _ i_stride: Int, _ y_stride: Int, _ x_stride: Int, _ groups: Int, _ output_channels: Int, _ input_channels: Int, _ kernel_height: Int, _ kernel_width: Int, _ panel0: Int, _ panel1: Int, _ packed: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_bf16_pack_weights(terms, w, dtype, o_stride, i_stride, y_stride, x_stride, groups, output_channels, input_channels, kernel_height, kernel_width, panel0, panel1, packed) }
@inline(__always) func mk_bf16_plane_bytes(_ conv: UnsafePointer<mk_bf16_conv2d>, _ rows: Int) -> Int { unsafe CMartletKernels.mk_bf16_plane_bytes(conv, rows) }
@inline(__always) func mk_bf16_unit_count(_ conv: UnsafePointer<mk_bf16_conv2d>, _ rows: Int) -> Int { unsafe CMartletKernels.mk_bf16_unit_count(conv, rows) }
@inline(__always) func mk_bf16_prepare(_ conv: UnsafePointer<mk_bf16_conv2d>, _ image: Int, _ y0: Int, _ y1: Int, _ unit0: Int, _ unit1: Int, _ plane: UnsafeMutableRawPointer) { unsafe CMartletKernels.mk_bf16_prepare(conv, image, y0, y1, unit0, unit1, plane) }
@inline(__always) func mk_bf16_scratch_bytes(_ conv: UnsafePointer<mk_bf16_conv2d>) -> Int { unsafe CMartletKernels.mk_bf16_scratch_bytes(conv) }
@inline(__always) func mk_bf16_slot_count(_ conv: UnsafePointer<mk_bf16_conv2d>, _ rows: Int) -> Int { unsafe CMartletKernels.mk_bf16_slot_count(conv, rows) }
@inline(__always) func mk_bf16_conv2d_run(_ conv: UnsafePointer<mk_bf16_conv2d>, _ image: Int, _ y0: Int, _ y1: Int, _ plane: UnsafeRawPointer, _ slot0: Int, _ slot1: Int, _ panel0: Int, _ panel1: Int) { unsafe CMartletKernels.mk_bf16_conv2d_run(conv, image, y0, y1, plane, slot0, slot1, panel0, panel1) }
@inline(__always) func mk_peak_unit(_ kind: Int32) -> UnsafePointer<CChar>? { unsafe CMartletKernels.mk_peak_unit(kind) }
@inline(__always) func mk_peak_operations_per_cycle(_ kind: Int32) -> Double { CMartletKernels.mk_peak_operations_per_cycle(kind) }
@inline(__always) func mk_peak_run(_ kind: Int32, _ rounds: Int) -> Double { CMartletKernels.mk_peak_run(kind, rounds) }
@inline(__always) func mk_peak_read(_ from: UnsafePointer<Float>, _ count: Int) -> Float { unsafe CMartletKernels.mk_peak_read(from, count) }
@inline(__always) func mk_pixels_reorder(_ source: UnsafePointer<UInt8>, _ source_step: Int32, _ target: UnsafeMutablePointer<UInt8>, _ target_step: Int32, _ places: UnsafePointer<Int8>, _ count: Int) { unsafe CMartletKernels.mk_pixels_reorder(source, source_step, target, target_step, places, count) }
@inline(__always) func mk_pixels_to_planes(_ source: UnsafePointer<UInt8>, _ step: Int32, _ channels: Int32, _ places: UnsafePointer<Int8>, _ scale: UnsafePointer<Float>, _ bias: UnsafePointer<Float>, _ dtype: Int32, _ planes: UnsafePointer<UnsafeMutableRawPointer>, _ stride: Int, _ count: Int) { unsafe CMartletKernels.mk_pixels_to_planes(source, step, channels, places, scale, bias, dtype, planes, stride, count) }
@inline(__always) func mk_planes_to_pixels(_ dtype: Int32, _ planes: UnsafePointer<UnsafeRawPointer>, _ stride: Int, _ channels: Int32, _ places: UnsafePointer<Int8>, _ scale: UnsafePointer<Float>, _ bias: UnsafePointer<Float>, _ target: UnsafeMutablePointer<UInt8>, _ step: Int32, _ count: Int) { unsafe CMartletKernels.mk_planes_to_pixels(dtype, planes, stride, channels, places, scale, bias, target, step, count) }
@inline(__always) func mk_pixels_luma(_ source: UnsafePointer<UInt8>, _ step: Int32, _ places: UnsafePointer<Int8>, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) { unsafe CMartletKernels.mk_pixels_luma(source, step, places, target, count) }
@inline(__always) func mk_resample_row_u8(_ axis: UnsafePointer<mk_resampling>, _ source: UnsafePointer<UInt8>, _ step: Int32, _ places: UnsafePointer<Int8>, _ channels: Int32, _ width: Int, _ first: Int, _ end: Int, _ target: UnsafeMutablePointer<UInt8>) { unsafe CMartletKernels.mk_resample_row_u8(axis, source, step, places, channels, width, first, end, target) }
@inline(__always) func mk_resample_row_u8_f32(_ axis: UnsafePointer<mk_resampling>, _ source: UnsafePointer<UInt8>, _ step: Int32, _ places: UnsafePointer<Int8>, _ channels: Int32, _ width: Int, _ first: Int, _ end: Int, _ target: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_resample_row_u8_f32(axis, source, step, places, channels, width, first, end, target) }
@inline(__always) func mk_resample_row_f32(_ axis: UnsafePointer<mk_resampling>, _ source: UnsafePointer<Float>, _ channels: Int32, _ first: Int, _ end: Int, _ target: UnsafeMutablePointer<Float>) { unsafe CMartletKernels.mk_resample_row_f32(axis, source, channels, first, end, target) }
@inline(__always) func mk_resample_column_u8(_ axis: UnsafePointer<mk_resampling>, _ y: Int, _ rows: UnsafePointer<UInt8>, _ row_stride: Int, _ first_row: Int, _ count: Int, _ target: UnsafeMutablePointer<UInt8>) { unsafe CMartletKernels.mk_resample_column_u8(axis, y, rows, row_stride, first_row, count, target) }
@inline(__always) func mk_resample_column_f32(_ axis: UnsafePointer<mk_resampling>, _ y: Int, _ rows: UnsafePointer<Float>, _ row_stride: Int, _ first_row: Int, _ count: Int, _ dtype: Int32, _ target: UnsafeMutableRawPointer) { unsafe CMartletKernels.mk_resample_column_f32(axis, y, rows, row_stride, first_row, count, dtype, target) }
@inline(__always) func mk_pixels_reduce_row(_ source: UnsafePointer<UInt8>, _ row_stride: Int, _ step: Int32, _ width: Int, _ x_factor: Int32, _ height: Int32, _ sums: UnsafeMutablePointer<UInt32>, _ target: UnsafeMutablePointer<UInt8>) { unsafe CMartletKernels.mk_pixels_reduce_row(source, row_stride, step, width, x_factor, height, sums, target) }
@inline(__always) func mk_chroma_to_pixels(_ matrix: UnsafePointer<mk_chroma_matrix>, _ bits: Int32, _ luma: UnsafeRawPointer, _ chroma: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) { unsafe CMartletKernels.mk_chroma_to_pixels(matrix, bits, luma, chroma, target, count) }
@inline(__always) func mk_pixels_to_chroma(_ matrix: UnsafePointer<mk_luma_matrix>, _ bits: Int32, _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>?, _ step: Int32, _ places: UnsafePointer<Int8>, _ first_luma: UnsafeMutableRawPointer, _ second_luma: UnsafeMutableRawPointer?, _ chroma: UnsafeMutableRawPointer, _ count: Int) { unsafe CMartletKernels.mk_pixels_to_chroma(matrix, bits, first, second, step, places, first_luma, second_luma, chroma, count) }
@inline(__always) func mk_pixels_arrange(_ source: UnsafeRawPointer, _ source_row_stride: Int, _ width: Int, _ height: Int, _ pixel_bytes: Int32, _ target: UnsafeMutableRawPointer, _ column_stride: Int, _ row_stride: Int) { unsafe CMartletKernels.mk_pixels_arrange(source, source_row_stride, width, height, pixel_bytes, target, column_stride, row_stride) }
@inline(__always) func mk_pixels_premultiply(_ source: UnsafePointer<UInt8>, _ alpha: Int32, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) { unsafe CMartletKernels.mk_pixels_premultiply(source, alpha, target, count) }
@inline(__always) func mk_pixels_unpremultiply(_ source: UnsafePointer<UInt8>, _ alpha: Int32, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) { unsafe CMartletKernels.mk_pixels_unpremultiply(source, alpha, target, count) }
@inline(__always) func mk_pixels_blend(_ source: UnsafePointer<UInt8>, _ alpha: Int32, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) { unsafe CMartletKernels.mk_pixels_blend(source, alpha, target, count) }
@inline(__always) func mk_pixels_blend_f32(_ source: UnsafePointer<Float>, _ alpha: Int32, _ target: UnsafeMutablePointer<Float>, _ count: Int) { unsafe CMartletKernels.mk_pixels_blend_f32(source, alpha, target, count) }
@inline(__always) func mk_sample_distances(_ x: UnsafePointer<Double>, _ x_stride: Int, _ rows: Int32, _ block: UnsafePointer<Double>, _ columns: Int, _ results: UnsafeMutablePointer<Double>) { unsafe CMartletKernels.mk_sample_distances(x, x_stride, rows, block, columns, results) }
@inline(__always) func mk_sample_products(_ x: UnsafePointer<Double>, _ x_stride: Int, _ rows: Int32, _ block: UnsafePointer<Double>, _ columns: Int, _ results: UnsafeMutablePointer<Double>) { unsafe CMartletKernels.mk_sample_products(x, x_stride, rows, block, columns, results) }
@inline(__always) func mk_sample_candidates(_ x: UnsafePointer<Double>, _ x_stride: Int, _ rows: Int32, _ block: UnsafePointer<Double>, _ columns: Int, _ x_norms: UnsafePointer<Double>, _ norms: UnsafePointer<Double>, _ slack: Double, _ limits: UnsafePointer<Double>, _ candidates: UnsafeMutablePointer<UInt16>) { unsafe CMartletKernels.mk_sample_candidates(x, x_stride, rows, block, columns, x_norms, norms, slack, limits, candidates) }
@inline(__always) func mk_threads_reserve(_ threads: Int32) { CMartletKernels.mk_threads_reserve(threads) }
@inline(__always) func mk_threads_state() -> mk_threads_census { CMartletKernels.mk_threads_state() }
@inline(__always) func mk_team_run(_ team: UnsafeMutablePointer<mk_team>, _ body: mk_team_body, _ context: UnsafeMutableRawPointer?, _ chunks: Int) { unsafe CMartletKernels.mk_team_run(team, body, context, chunks) }
@inline(__always) func mk_team_end(_ team: UnsafeMutablePointer<mk_team>) { unsafe CMartletKernels.mk_team_end(team) }
@inline(__always) func mk_tree_ranks16(_ cuts: UnsafePointer<Int64>, _ columns: UnsafePointer<mk_tree_column>, _ column_count: Int, _ x: UnsafeRawPointer, _ is_float: Int32, _ x_stride: Int, _ rows: Int, _ ranks: UnsafeMutablePointer<UInt16>, _ rank_stride: Int) { unsafe CMartletKernels.mk_tree_ranks16(cuts, columns, column_count, x, is_float, x_stride, rows, ranks, rank_stride) }
@inline(__always) func mk_tree_ranks32(_ cuts: UnsafePointer<Int64>, _ columns: UnsafePointer<mk_tree_column>, _ column_count: Int, _ x: UnsafeRawPointer, _ is_float: Int32, _ x_stride: Int, _ rows: Int, _ ranks: UnsafeMutablePointer<UInt32>, _ rank_stride: Int) { unsafe CMartletKernels.mk_tree_ranks32(cuts, columns, column_count, x, is_float, x_stride, rows, ranks, rank_stride) }
@inline(__always) func mk_forest_sum16(_ forest: UnsafePointer<mk_forest>, _ ranks: UnsafePointer<UInt16>, _ rank_stride: Int, _ rows: Int, _ sums: UnsafeMutablePointer<Double>) { unsafe CMartletKernels.mk_forest_sum16(forest, ranks, rank_stride, rows, sums) }
@inline(__always) func mk_forest_sum32(_ forest: UnsafePointer<mk_forest>, _ ranks: UnsafePointer<UInt32>, _ rank_stride: Int, _ rows: Int, _ sums: UnsafeMutablePointer<Double>) { unsafe CMartletKernels.mk_forest_sum32(forest, ranks, rank_stride, rows, sums) }
