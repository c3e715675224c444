// A layer of a neural network forwards, by a tree of sums in local memory, and the change of its weights; the bend is
// x / (1 + |x|), which needs no library. After Rodinia's backprop.
// buffer  in      float[256]   random -1 1
// buffer  weight  float[4096]  random -1 1
// buffer  old     float[4096]  random -0.1 0.1
// buffer  part    float[256]   zero
// buffer  out     float[16]    zero
// buffer  delta   float[16]    random -0.5 0.5
// run     forward(in, weight, part)            grid 16, 256  group 16, 16
// run     bend(part, out)                      grid 16       group 16
// run     adjust(in, weight, old, delta)       grid 16, 256  group 16, 16
#pragma OPENCL FP_CONTRACT OFF
kernel void forward(global const float* in, global const float* weight, global float* part)
{
    local float product[16][16], node[16];
    const int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1);
    if (x == 0) node[y] = in[row];
    barrier(CLK_LOCAL_MEM_FENCE);
    product[y][x] = weight[row * 16 + x] * node[y];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < 16; stride *= 2) {
        if (y % (2 * stride) == 0) product[y][x] += product[y + stride][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (y == 0) part[get_group_id(1) * 16 + x] = product[0][x];
}

kernel void bend(global const float* part, global float* out)
{
    const int x = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) sum += part[16 * k + x];
    out[x] = sum / (1.0f + fabs(sum));
}

kernel void adjust(global const float* in, global float* weight, global float* old, global const float* delta)
{
    const int x = get_global_id(0), row = get_global_id(1), at = row * 16 + x;
    const float change = 0.3f * delta[x] * in[row] + 0.3f * old[at];
    weight[at] += change;
    old[at] = change;
}
