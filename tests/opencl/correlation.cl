// Means, standard deviations with roots in doubles, centred columns, and the matrix of correlations; after PolyBench's
// correlation and covariance.
// buffer  data  double[1024]  random 0 10
// buffer  mean  double[32]    zero
// buffer  dev   double[32]    zero
// buffer  corr  double[1024]  zero
// run     moments(data, mean, dev, 32)    grid 32      group 32
// run     centre(data, mean, dev, 32)     grid 32, 32  group 32, 2
// run     correlate(data, corr, 32)       grid 32, 32  group 8, 8
#pragma OPENCL FP_CONTRACT OFF
kernel void moments(global const double* data, global double* mean, global double* dev, int n)
{
    const int j = get_global_id(0);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) sum += data[i * n + j];
    const double m = sum / n;
    for (int i = 0; i < n; i++) squares += (data[i * n + j] - m) * (data[i * n + j] - m);
    const double d = sqrt(squares / n);
    mean[j] = m;
    dev[j] = d <= 0.005 ? 1.0 : d;
}

kernel void centre(global double* data, global const double* mean, global const double* dev, int n)
{
    const int j = get_global_id(0), i = get_global_id(1);
    data[i * n + j] = (data[i * n + j] - mean[j]) / (sqrt((double)n) * dev[j]);
}

kernel void correlate(global const double* data, global double* corr, int n)
{
    const int a = get_global_id(0), b = get_global_id(1);
    if (a > b) return;
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += data[i * n + a] * data[i * n + b];
    corr[a * n + b] = corr[b * n + a] = a == b ? 1.0 : sum;
}
