// Bodies that attract each other, through local memory, with the library's reciprocal root.
// library
// buffer  place  float[512]  random -1 1
// buffer  speed  float[512]  zero  within 0.0001
// run     attract(place, speed, 0.01f, 0.05f)   grid 128  group 32
#pragma OPENCL FP_CONTRACT OFF
kernel void attract(global const float4* place, global float4* speed, float time, float soft)
{
    local float4 tile[32];
    const int i = get_global_id(0), l = get_local_id(0), n = get_global_size(0);
    const float4 here = place[i];
    float3 sum = 0.0f;
    for (int t = 0; t < n; t += 32) {
        tile[l] = place[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++) {
            const float3 d = tile[k].xyz - here.xyz;
            const float inverse = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + soft);
            sum += d * (tile[k].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    speed[i].xyz += sum * time;
}
