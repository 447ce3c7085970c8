! SPDX-License-Identifier: BSD-3-Clause
! Halo and irregular plans of arrays in GPU memory, on the stand-in for CUDA's driver: an address
! becomes an array by c_f_pointer.
module cuda_driver
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
  implicit none (type, external)
  public
  interface
    integer(c_int) function cuInit(flags) bind(C, name='cuInit')
      import
      integer(c_int), value :: flags
    end function cuInit
    integer(c_int) function cuMemAlloc(address, bytes) bind(C, name='cuMemAlloc_v2')
      import
      type(c_ptr), intent(out) :: address
      integer(c_size_t), value :: bytes
    end function cuMemAlloc
    integer(c_int) function cuMemFree(address) bind(C, name='cuMemFree_v2')
      import
      type(c_ptr), value :: address
    end function cuMemFree
    integer(c_int) function cuMemcpyHtoD(to, from, bytes) bind(C, name='cuMemcpyHtoD_v2')
      import
      type(c_ptr), value :: to
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
    end function cuMemcpyHtoD
    integer(c_int) function cuMemcpyDtoH(to, from, bytes) bind(C, name='cuMemcpyDtoH_v2')
      import
      type(c_ptr), value :: to
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
    end function cuMemcpyDtoH
  end interface
end module cuda_driver

program gpus_test
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_loc, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use cuda_driver, only: cuInit, cuMemAlloc, cuMemcpyDtoH, cuMemcpyHtoD, cuMemFree
  use nearfar
  use nearfar_testing, only: check, everyone, testing_begin, testing_end, testing_next_shape, &
    world_rank, world_size
  implicit none (type, external)
  integer, parameter :: cells = 8, owned = 4
  type(nearfar_team) :: team

  call testing_begin()
  call check(cuInit(0_c_int) == 0, 'cuInit')
  do while (testing_next_shape())
    call team%create(everyone)
    call test_halo()
    call test_gather()
    call team%free()
  end do
  call testing_end()

contains

  function on_gpu(values) result(there)
    real(real64), intent(in), target, contiguous :: values(:)
    real(real64), pointer, contiguous :: there(:)
    type(c_ptr) :: address

    call check(cuMemAlloc(address, bytes_of(values)) == 0, 'memory of the GPU')
    call check(cuMemcpyHtoD(address, c_loc(values), bytes_of(values)) == 0, 'to the GPU')
    call c_f_pointer(address, there, [size(values)])
  end function on_gpu

  pure integer(c_size_t) function bytes_of(values)
    real(real64), intent(in) :: values(:)
    bytes_of = 8_c_size_t * size(values)
  end function bytes_of

  ! Gives the memory back.
  subroutine take(values, there)
    real(real64), intent(out), target, contiguous :: values(:)
    real(real64), intent(inout), target, contiguous :: there(:)

    call check(cuMemcpyDtoH(c_loc(values), c_loc(there), bytes_of(values)) == 0, 'from the GPU')
    call check(cuMemFree(c_loc(there)) == 0, 'giving back')
  end subroutine take

  subroutine test_halo()
    type(nearfar_grid) :: line
    type(nearfar_halo_plan) :: plan
    real(real64) :: values(cells + 2)
    real(real64), pointer, contiguous :: there(:)
    integer :: i

    values = [(merge(real(world_rank * cells + i, real64), -1.0_real64, i >= 1 .and. i <= cells), &
      i=0, cells + 1)]
    there => on_gpu(values)
    call line%create(team, extents=[cells * world_size], periodic=[.true.])
    call plan%begin(line)
    call plan%add(there, ghosts=1)
    call plan%commit()
    call check(index(plan%describe(), 'in GPU memory') > 0, 'halo: describe')
    call plan%run()
    call plan%free()
    call take(values, there)
    call check(all(nint(values) == [(modulo(world_rank * cells + i - 1, cells * world_size) + 1, &
      i=0, cells + 1)]), 'halo: ghosts')
    call line%free()
  end subroutine test_halo

  ! Every rank refers to all elements, and adds 1 to each.
  subroutine test_gather()
    type(nearfar_distribution) :: blocks
    type(nearfar_irregular_plan) :: plan
    real(real64) :: x(owned)
    real(real64), allocatable :: values(:)
    real(real64), pointer, contiguous :: x_there(:), values_there(:)
    integer :: i

    x = [(real(world_rank * owned + i, real64), i=1, owned)]
    allocate (values(owned * world_size), source=1.0_real64)
    x_there => on_gpu(x)
    values_there => on_gpu(values)
    call blocks%block(team, int(size(values), int64))
    call plan%create(blocks, [(i, i=size(values), 1, -1)])
    call plan%scatter(values_there, x_there)
    call plan%gather(x_there, values_there)
    call plan%free()
    call blocks%free()
    call take(x, x_there)
    call take(values, values_there)
    call check(all(nint(x) == [(world_rank * owned + i + world_size, i=1, owned)]), 'gather: x')
    call check(all(nint(values) == [(i + world_size, i=size(values), 1, -1)]), 'gather: values')
  end subroutine test_gather

end program gpus_test
