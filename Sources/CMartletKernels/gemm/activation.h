/// Activations of `vec`, as template text after `vector_math.h`.

/// The activations that the micro-kernels apply in registers.
MK_INLINE vec vec_activate_early(vec v, const int activation, float lo, float hi) {
  switch (activation) {
    case MK_ACTIVATION_CLAMP: return vec_at_most(vec_splat(hi), vec_at_least(vec_splat(lo), v));
    case MK_ACTIVATION_HARDSWISH:
      v = v > vec_splat(lo) ? v : vec_splat(lo);
      return v * vec_at_most(vec_splat(6.0f), vec_at_least(vec_splat(0.0f), v + 3.0f)) * (1.0f / 6.0f);
    case MK_ACTIVATION_HARDSIGMOID:
      return vec_at_most(vec_splat(6.0f), vec_at_least(vec_splat(0.0f), v + 3.0f)) * (1.0f / 6.0f);
    case MK_ACTIVATION_LEAKY_RELU: return v > vec_splat(0.0f) ? v : v * lo;
    default: return v;
  }
}

/// The others.
MK_INLINE vec vec_activate_late(vec v, const int activation, float lo) {
  switch (activation) {
    case MK_ACTIVATION_SILU: return v * vec_sigmoid(v);
    case MK_ACTIVATION_SIGMOID: return vec_sigmoid(v);
    case MK_ACTIVATION_TANH: return vec_tanh(v);
    case MK_ACTIVATION_GELU_ERF: return vec_gelu(v);
    case MK_ACTIVATION_GELU_TANH: return v * 0.5f * (1.0f + vec_tanh(0x1.988454p-1f * (v + 0.044715f * v * v * v)));
    case MK_ACTIVATION_ELU: return v > vec_splat(0.0f) ? v : lo * vec_expm1_negative(v);
    default: return v;
  }
}
