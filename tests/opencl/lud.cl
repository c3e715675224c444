// A matrix of 32 by 32 becomes the product of a lower and an upper triangle, in place, block after block of 16: the block on
// the diagonal, those beside and below it, and the rest; after Rodinia's lud.
// buffer  m  float[1024]  = 40 if i % 33 == 0 else sin(i * 1.7)
// run     diagonal(m, 32, 0)     grid 16      group 16
// run     perimeter(m, 32, 0)    grid 32      group 32
// run     inside(m, 32, 0)       grid 16, 16  group 16, 16
// run     diagonal(m, 32, 16)    grid 16      group 16
#pragma OPENCL FP_CONTRACT OFF
kernel void diagonal(global float* m, int n, int at)
{
    local float block[16][17];
    const int i = get_local_id(0);
    for (int k = 0; k < 16; k++) block[k][i] = m[(at + k) * n + at + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 15; k++) {
        if (i > k) {
            block[i][k] /= block[k][k];
            for (int j = k + 1; j < 16; j++) block[i][j] -= block[i][k] * block[k][j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 16; k++) m[(at + k) * n + at + i] = block[k][i];
}

kernel void perimeter(global float* m, int n, int at)
{
    const int t = get_local_id(0), i = t & 15;
    if (t < 16) {
        for (int k = 0; k < 16; k++)
            for (int j = k + 1; j < 16; j++) m[(at + j) * n + at + 16 + i] -= m[(at + j) * n + at + k] * m[(at + k) * n + at + 16 + i];
    } else {
        for (int k = 0; k < 16; k++) {
            float x = m[(at + 16 + i) * n + at + k];
            for (int j = 0; j < k; j++) x -= m[(at + 16 + i) * n + at + j] * m[(at + j) * n + at + k];
            m[(at + 16 + i) * n + at + k] = x / m[(at + k) * n + at + k];
        }
    }
}

kernel void inside(global float* m, int n, int at)
{
    local float left[16][16], above[16][16];
    const int x = get_local_id(0), y = get_local_id(1);
    left[y][x] = m[(at + 16 + y) * n + at + x];
    above[y][x] = m[(at + y) * n + at + 16 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) sum += left[y][k] * above[k][x];
    m[(at + 16 + y) * n + at + 16 + x] -= sum;
}
