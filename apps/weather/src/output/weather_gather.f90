! SPDX-License-Identifier: BSD-3-Clause
! Gathers fields on the rank that writes: the ranks of a node hand their tiles to its first rank,
! and the first ranks send one message per node and slab of levels, one after the other. So the
! writer holds one slab and one node's part of it, however many ranks there are.
module weather_gather
  use mpi_f08, only: operator(/=), MPI_Comm, MPI_COMM_NULL, MPI_COMM_WORLD, &
    MPI_Comm_rank, MPI_Comm_size, MPI_Comm_split, MPI_Comm_free, MPI_Gather, MPI_Gatherv, &
    MPI_Send, MPI_Recv, MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_UNDEFINED, &
    MPI_STATUS_IGNORE
  use weather_constants, only: wp
  use weather_grid, only: box_t
  implicit none (type, external)
  private
  public :: gather_t, gather_open, gather_close, gather_slab, levels_per_slab

  integer, parameter :: slab_values = 4*1024*1024     !! values gathered at a time
  integer, parameter :: slab_tag = 77

  type :: gather_t
    logical :: writes = .false., leads = .false.      !! rank 0; the first rank of its node
    integer :: nx = 0, ny = 0
    type(MPI_Comm) :: near = MPI_COMM_NULL, leaders = MPI_COMM_NULL
    ! on the first rank of a node: columns of each of its ranks, and where they begin
    integer, allocatable :: columns(:), places(:)
    ! columns of this node; on the writer those of every node
    integer, allocatable :: node_columns(:)
    ! on the writer: i1, i2, j1, j2 of all tiles, node by node; tiles of node n begin at first(n)
    integer, allocatable :: tiles(:, :), first(:)
  end type gather_t

contains

  !> Collective. `mine`: own columns of nx x ny; `node`: number of this rank's node.
  subroutine gather_open(t, nx, ny, mine, node)
    type(gather_t), intent(out) :: t
    integer, intent(in) :: nx, ny, node
    type(box_t), intent(in) :: mine
    integer, allocatable :: near_tiles(:, :), sizes(:), counts(:)
    integer :: rank, near_rank, near_size, nodes, n

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_split(MPI_COMM_WORLD, node, rank, t%near)
    call MPI_Comm_rank(t%near, near_rank)
    call MPI_Comm_size(t%near, near_size)
    t%nx = nx
    t%ny = ny
    t%writes = rank == 0
    t%leads = near_rank == 0
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, t%leads), rank, t%leaders)
    allocate (near_tiles(4, merge(near_size, 1, t%leads)), source=0)
    call MPI_Gather([mine%i1, mine%i2, mine%j1, mine%j2], 4, MPI_INTEGER, near_tiles, 4, &
      MPI_INTEGER, 0, t%near)
    t%columns = (near_tiles(2, :) - near_tiles(1, :) + 1)*(near_tiles(4, :) - near_tiles(3, :) + 1)
    t%places = [(sum(t%columns(:n - 1)), n=1, size(t%columns))]
    t%node_columns = [sum(t%columns)]
    if (.not. t%leads) return

    call MPI_Comm_size(t%leaders, nodes)
    allocate (sizes(merge(nodes, 1, t%writes)), source=0)
    call MPI_Gather([near_size], 1, MPI_INTEGER, sizes, 1, MPI_INTEGER, 0, t%leaders)
    t%first = [(1 + sum(sizes(:n - 1)), n=1, size(sizes) + 1)]
    allocate (t%tiles(4, sum(sizes)), source=0)
    counts = 4*sizes
    call MPI_Gatherv(near_tiles, 4*near_size, MPI_INTEGER, t%tiles, counts, &
      4*(t%first(:size(sizes)) - 1), MPI_INTEGER, 0, t%leaders)
    if (.not. t%writes) return
    t%node_columns = [(columns_of(t%tiles(:, t%first(n):t%first(n + 1) - 1)), n=1, nodes)]
  end subroutine gather_open

  pure integer function columns_of(tiles)
    integer, intent(in) :: tiles(:, :)
    columns_of = sum((tiles(2, :) - tiles(1, :) + 1)*(tiles(4, :) - tiles(3, :) + 1))
  end function columns_of

  !> Collective.
  subroutine gather_close(t)
    type(gather_t), intent(inout) :: t
    if (t%leaders /= MPI_COMM_NULL) call MPI_Comm_free(t%leaders)
    if (t%near /= MPI_COMM_NULL) call MPI_Comm_free(t%near)
  end subroutine gather_close

  !> How many levels the writer takes at a time.
  pure integer function levels_per_slab(t, levels)
    type(gather_t), intent(in) :: t
    integer, intent(in) :: levels
    levels_per_slab = max(1, min(levels, slab_values/(t%nx*t%ny)))
  end function levels_per_slab

  !> Collective: values(k1:k2, i, j) of all ranks into slab(i, j, :) on the writer.
  subroutine gather_slab(t, values, k1, k2, slab)
    type(gather_t), intent(inout) :: t
    real(wp), intent(in) :: values(:, :, :)
    integer, intent(in) :: k1, k2
    real(wp), allocatable, intent(inout) :: slab(:, :, :)
    real(wp), allocatable :: tile(:), part(:)
    integer :: i, j, k, n, node, r, levels

    levels = k2 - k1 + 1
    allocate (tile(size(values, 2)*size(values, 3)*levels))
    n = 0
    do k = k1, k2
      do j = 1, size(values, 3)
        do i = 1, size(values, 2)
          n = n + 1
          tile(n) = values(k, i, j)
        end do
      end do
    end do
    allocate (part(merge(maxval(t%node_columns)*levels, 1, t%leads)))
    call MPI_Gatherv(tile, n, MPI_DOUBLE_PRECISION, part, t%columns*levels, &
      t%places*levels, MPI_DOUBLE_PRECISION, 0, t%near)
    if (t%leads .and. .not. t%writes) &
      call MPI_Send(part, t%node_columns(1)*levels, MPI_DOUBLE_PRECISION, 0, slab_tag, &
      t%leaders)
    if (.not. t%writes) return
    if (allocated(slab)) deallocate (slab)
    allocate (slab(t%nx, t%ny, levels))
    do node = 1, size(t%node_columns)
      if (node > 1) call MPI_Recv(part, t%node_columns(node)*levels, MPI_DOUBLE_PRECISION, &
        node - 1, slab_tag, t%leaders, MPI_STATUS_IGNORE)
      n = 0
      do r = t%first(node), t%first(node + 1) - 1
        do k = 1, levels
          do j = t%tiles(3, r), t%tiles(4, r)
            do i = t%tiles(1, r), t%tiles(2, r)
              n = n + 1
              slab(i, j, k) = part(n)
            end do
          end do
        end do
      end do
    end do
  end subroutine gather_slab
end module weather_gather
