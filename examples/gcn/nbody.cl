// One step of bodies that attract each other: every one sees all others, which a group brings into local memory 64 at a time.
// A body is x, y, z and its mass.
#include "items.h"

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void nbody(__global const float4 *bodies,
                                                                   __global float4 *velocities,
                                                                   __global float4 *moved, uint count, float step) {
    __local float4 near[64];
    float4 own = bodies[global_x()], pull = 0;
    for (uint first = 0; first < count; first += 64) {
        near[local_x()] = bodies[first + local_x()];
        meet();
        for (uint i = 0; i < 64; ++i) {
            float4 way = near[i] - own;
            float square = way.x * way.x + way.y * way.y + way.z * way.z + 0.01f;
            float inverse = __builtin_amdgcn_rsqf(square);
            pull += way * (near[i].w * inverse * inverse * inverse);
        }
        meet();
    }
    float4 velocity = velocities[global_x()] + pull * step;
    velocity.w = 0;
    velocities[global_x()] = velocity;
    moved[global_x()] = own + velocity * step;
}
