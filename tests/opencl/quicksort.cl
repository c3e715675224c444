// Quicksort of 24 numbers by each work-item, with a stack of ranges: scratch memory under masks that are never the same.
// buffer  a  short[6144]  random -500 500
// run     sort(a)   grid 256  group 64
kernel void sort(global short* a)
{
    short t[24];
    uchar stack[16];
    int top = 0, low = 0, high = 23;
    a += 24 * get_global_id(0);
    for (int k = 0; k < 24; k++) t[k] = a[k];
    for (;;) {
        while (low < high) {
            const short pivot = t[(low + high) / 2];
            int i = low, j = high;
            while (i <= j) {
                while (t[i] < pivot) i++;
                while (t[j] > pivot) j--;
                if (i <= j) {
                    const short x = t[i];
                    t[i++] = t[j], t[j--] = x;
                }
            }
            if (j - low < high - i) {
                stack[top++] = i, stack[top++] = high;
                high = j;
            } else {
                stack[top++] = low, stack[top++] = j < 0 ? 0 : j;
                low = i;
            }
        }
        if (top == 0) break;
        high = stack[--top], low = stack[--top];
    }
    for (int k = 0; k < 24; k++) a[k] = t[k];
}
