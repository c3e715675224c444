// Nine points with three weights over tiles that are loaded by all of a group, rim included; after SHOC's stencil2d.
// buffer  a  double[1156]  random -1 1
// buffer  b  double[1156]  zero
// run     nine(a, b, 34, 0.25, 0.15, 0.05, local double[180])   grid 32, 32  group 16, 8
#pragma OPENCL FP_CONTRACT OFF
kernel void nine(global const double* a, global double* b, int width, double centre, double side, double corner, local double* t)
{
    const int u = get_local_id(0), v = get_local_id(1), x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    const int first = ((int)get_group_id(1) * 8) * width + (int)get_group_id(0) * 16;
    for (int k = v * 16 + u; k < 180; k += 128) t[k] = a[first + k / 18 * width + k % 18];
    barrier(CLK_LOCAL_MEM_FENCE);
    local const double* p = t + (v + 1) * 18 + u + 1;
    const double sides = p[-1] + p[1] + p[-18] + p[18], corners = p[-19] + p[-17] + p[17] + p[19];
    b[y * width + x] = centre * p[0] + side * sides + corner * corners;
}
