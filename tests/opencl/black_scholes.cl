// Prices of options: logarithm, exponential, root and the normal distribution by a polynomial.
// library
// buffer  price   float[512]  random 5 30
// buffer  strike  float[512]  random 1 100
// buffer  years   float[512]  random 0.25 10
// buffer  call    float[512]  zero  within 0.0002
// buffer  put     float[512]  zero  within 0.0002
// run     options(price, strike, years, call, put, 0.02f, 0.3f)   grid 512  group 128
#pragma OPENCL FP_CONTRACT OFF
float normal(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    const float tail = 0.39894228f * exp(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void options(global const float* price, global const float* strike, global const float* years, global float* call, global float* put, float rate, float spread)
{
    const int i = get_global_id(0);
    const float root = sqrt(years[i]), d1 = (log(price[i] / strike[i]) + (rate + 0.5f * spread * spread) * years[i]) / (spread * root), d2 = d1 - spread * root;
    const float later = strike[i] * exp(-rate * years[i]);
    call[i] = price[i] * normal(d1) - later * normal(d2);
    put[i] = later * normal(-d2) - price[i] * normal(-d1);
}
