// SPDX-License-Identifier: Apache-2.0
// Structures by value, double precision, functions of the mathematical library, virtual calls, recursion, local arrays.
#include <cmath>

#include "check.h"

struct pair {
    double a;
    char tag;
    float b[3];
};

struct shape {
    __device__ virtual double area() const = 0;
};

struct square : shape {
    double side;
    __device__ explicit square(double s) : side(s)
    {
    }
    __device__ double area() const override
    {
        return side * side;
    }
};

struct disc : shape {
    double radius;
    __device__ explicit disc(double r) : radius(r)
    {
    }
    __device__ double area() const override
    {
        return 3.0 * radius * radius;
    }
};

__device__ __noinline__ long long factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__global__ void use(pair p, double *out)
{
    const int i = threadIdx.x;
    square s(i);
    disc d(i);
    const shape *either = i % 2 == 0 ? (const shape *)&s : (const shape *)&d;
    int digits[10] = {0};
    for (int n = i * 977; n > 0; n /= 10)
        digits[n % 10]++;
    out[5 * i] = p.a * i + p.b[i % 3] + p.tag;
    out[5 * i + 1] = sin(0.1 * i) + exp(-0.5 * i) + pow(1.0 + i, 1.5);
    out[5 * i + 2] = (double)factorial(i % 12);
    out[5 * i + 3] = either->area();
    out[5 * i + 4] = digits[7];
}

int main()
{
    const pair p = {1.25, 'x', {0.5f, 1.5f, 2.5f}};
    double *out, back[5 * 32];
    CHECK(cudaMalloc(&out, sizeof back));
    use<<<1, 32>>>(p, out);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        long long f = 1;
        int sevens = 0;
        for (int n = i * 977; n > 0; n /= 10)
            sevens += n % 10 == 7;
        for (int k = 2; k <= i % 12; k++)
            f *= k;
        const double math = sin(0.1 * i) + exp(-0.5 * i) + pow(1.0 + i, 1.5);
        EXPECT(back[5 * i] == p.a * i + p.b[i % 3] + p.tag);
        EXPECT(fabs(back[5 * i + 1] - math) <= 1e-13 * fabs(math));
        EXPECT(back[5 * i + 2] == (double)f);
        EXPECT(back[5 * i + 3] == (i % 2 == 0 ? 1.0 : 3.0) * i * i);
        EXPECT(back[5 * i + 4] == sevens);
    }
    return passed();
}
