// What is won by opening a new centre, point by point: distances of 16 coordinates as vectors, and what was paid so far; after
// Rodinia's streamcluster.
// buffer  points  float[8192]  random -1 1
// buffer  cost    float[512]   random 0 12
// buffer  change  int[512]     zero
// buffer  won     float[512]   zero
// run     gain(points, cost, change, won, 17)   grid 512  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void gain(global const float16* points, global const float* cost, global int* change, global float* won, int centre)
{
    const int i = get_global_id(0);
    const float16 d = points[i] - points[centre];
    const float16 s = d * d;
    const float8 a = s.lo + s.hi;
    const float4 b = a.lo + a.hi;
    const float2 c = b.lo + b.hi;
    const float paid = c.x + c.y;
    change[i] = paid < cost[i];
    won[i] = paid < cost[i] ? cost[i] - paid : 0.0f;
}
