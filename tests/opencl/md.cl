// Forces between particles and their neighbours from a list, by powers of the distance; after SHOC's md.
// buffer  place      float[1024]  random 0 12
// buffer  neighbour  int[4096]    = (i * 17 + i // 256 * 31 + 1) % 256
// buffer  force      float[1024]  zero
// run     forces(place, neighbour, force, 16, 16.0f, 1.5f, 2.0f)   grid 256  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void forces(global const float4* place, global const int* neighbour, global float4* force, int count, float cut, float a, float b)
{
    const int i = get_global_id(0), n = get_global_size(0);
    const float4 here = place[i];
    float4 sum = (float4)(0.0f);
    for (int k = 0; k < count; k++) {
        const int j = neighbour[k * n + i];
        if (j == i) continue;
        const float4 d = here - place[j];
        const float square = d.x * d.x + d.y * d.y + d.z * d.z;
        if (square < cut) {
            const float inverse = 1.0f / square, sixth = inverse * inverse * inverse;
            sum += d * (inverse * sixth * (a * sixth - b));
        }
    }
    force[i] = (float4)(sum.xyz, 0.0f);
}
