// Forces between particles in neighbouring boxes that fall off by an exponential; after Rodinia's lavaMD.
// library
// buffer  place  float[1024]  random 0 1
// buffer  force  float[1024]  zero  within 0.0002
// run     forces(place, force, 0.5f)   grid 256  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void forces(global const float4* place, global float4* force, float alpha)
{
    local float4 other[64];
    const int i = get_global_id(0), l = get_local_id(0), box = get_group_id(0);
    const float4 here = place[i];
    float4 sum = 0.0f;
    for (int neighbour = max(box - 1, 0); neighbour <= min(box + 1, 3); neighbour++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        other[l] = place[neighbour * 64 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 64; k++) {
            const float4 d = here - other[k];
            const float fall = exp(-2.0f * alpha * alpha * (d.x * d.x + d.y * d.y + d.z * d.z));
            sum += (float4)(d.xyz * (2.0f * fall), fall) * other[k].w;
        }
    }
    force[i] = sum;
}
