// Systems with three diagonals along rows and then along columns, forwards and back; after PolyBench's adi and durbin.
// buffer  u  double[400]  random 0 1
// buffer  p  double[400]  zero
// buffer  q  double[400]  zero
// run     sweep(u, p, q, 20, 1, 20)   grid 18  group 9
// run     sweep(u, p, q, 20, 20, 1)   grid 18  group 9
#pragma OPENCL FP_CONTRACT OFF
kernel void sweep(global double* u, global double* p, global double* q, int n, int along, int across)
{
    const int line = (get_global_id(0) + 1) * across;
    p[line] = 0.0, q[line] = 1.0;
    for (int j = 1; j < n - 1; j++) {
        const int at = line + j * along;
        p[at] = 0.25 / (2.5 - 0.25 * p[at - along]);
        q[at] = (u[at] * 0.5 + 0.25 * q[at - along]) * p[at] / 0.25;
    }
    for (int j = n - 2; j > 0; j--) {
        const int at = line + j * along;
        u[at] = p[at] * u[at + along] + q[at];
    }
}
