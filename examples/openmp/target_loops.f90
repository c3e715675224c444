! Loops that OpenMP takes to a GPU, each next to the same loop on the host.
!
! To build and run it on a machine without a GPU:
!
!     gfortran-12 -O2 -fopenmp -foffload=amdgcn-amdhsa -foffload-options=amdgcn-amdhsa=-march=gfx900 \
!                 -foffload-options=-lgfortran -foffload-options=-lm target_loops.f90 -o target_loops
!     isaforge gpu -- ./target_loops
program target_loops
    use omp_lib
    implicit none
    integer, parameter :: count = 5000, size = 40
    integer :: wrong = 0, results = 0

    call arrays
    call reductions
    call matrices
    if (wrong == 0) then
        print '(A, I0, A)', 'target_loops: ', results, ' results, all as on the host'
    else
        print '(A, I0, A, I0, A)', 'target_loops: WRONG: ', wrong, ' of ', results, ' results differ from the host''s'
        stop 1
    end if

contains

    subroutine expect(right)
        logical, intent(in) :: right
        results = results + 1
        if (.not. right) wrong = wrong + 1
    end subroutine

    subroutine arrays
        real, allocatable :: x(:), y(:)
        logical :: on_host
        integer :: i
        allocate(x(count), y(count))
        x = [(real(i), i = 1, count)]
        y = 1
        on_host = .true.
        !$omp target teams distribute parallel do map(to: x) map(tofrom: y) map(from: on_host)
        do i = 1, count
            y(i) = 2 * x(i) + y(i)
            if (i == 1) on_host = omp_is_initial_device()
        end do
        call expect(.not. on_host)
        do i = 1, count
            call expect(y(i) == 2 * i + 1)
        end do
    end subroutine

    subroutine reductions
        integer(8) :: total
        real(8) :: smallest
        complex(8) :: turned
        integer :: i
        total = 0
        smallest = huge(smallest)
        turned = 0
        !$omp target teams distribute parallel do map(tofrom: total, smallest, turned) &
        !$omp & reduction(+: total, turned) reduction(min: smallest)
        do i = 1, count
            total = total + int(i, 8)**3
            smallest = min(smallest, abs(real(i, 8) - 1234.5d0))
            turned = turned + cmplx(i, -2 * i, 8)
        end do
        call expect(total == (int(count, 8) * (count + 1) / 2)**2)
        call expect(smallest == 0.5d0)
        call expect(turned == cmplx(1, -2, 8) * count * (count + 1) / 2)
    end subroutine

    subroutine matrices
        real(8) :: a(size, size), b(size, size), product(size, size), there
        integer :: i, j, k
        do j = 1, size
            do i = 1, size
                a(i, j) = mod(i * 7 + j * 3, 11) - 5
                b(i, j) = mod(i * 5 + j * 13, 17) - 8
            end do
        end do
        !$omp target data map(to: a, b) map(from: product)
        !$omp target teams distribute parallel do collapse(2) private(k, there)
        do j = 1, size
            do i = 1, size
                there = 0
                do k = 1, size
                    there = there + a(i, k) * b(k, j)
                end do
                product(i, j) = there
            end do
        end do
        !$omp end target data
        call expect(all(product == matmul(a, b)))
    end subroutine
end program
