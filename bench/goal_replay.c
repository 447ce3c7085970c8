// SPDX-License-Identifier: BSD-3-Clause
// Replays a GOAL file of `nearfar model --goal` in SMPI, a process per rank: sends at once, receives that wait, and
// computing. bench/smpi compiles and runs it. Prints the microseconds from the first start to the last end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest_line = 256 };

struct replay {
  MPI_Request* sends;
  int count, capacity;
  char* data;  // of all messages: nobody looks at it
  long capacity_bytes;
};

static void fail(const char* what, const char* detail) {
  fprintf(stderr, "goal_replay: %s: %s\n", what, detail);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void reserve(struct replay* r, long bytes) {
  if (bytes <= r->capacity_bytes) return;
  r->capacity_bytes = bytes;
  r->data = realloc(r->data, (size_t)bytes);
  if (r->data == NULL) fail("no memory for a message", "");
}

static void send_to(struct replay* r, int peer, int bytes, int tag) {
  static const int first_capacity = 64;
  if (r->count == r->capacity) {
    r->capacity = r->capacity == 0 ? first_capacity : 2 * r->capacity;
    r->sends = realloc(r->sends, (size_t)r->capacity * sizeof *r->sends);
    if (r->sends == NULL) fail("no memory for requests", "");
  }
  MPI_Isend(r->data, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &r->sends[r->count++]);
}

static void carry_out(struct replay* r, const char* line) {
  const char* words = strchr(line, ':');
  long bytes;
  int peer, tag;
  double ns;
  if (words == NULL) return;  // says only what must be over before
  if (sscanf(words, ": send %ldb to %d tag %d", &bytes, &peer, &tag) == 3) {
    send_to(r, peer, (int)bytes, tag);
  } else if (sscanf(words, ": recv %ldb from %d tag %d", &bytes, &peer, &tag) == 3) {
    MPI_Recv(r->data, (int)bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (sscanf(words, ": calc %lf", &ns) == 1) {
    smpi_execute(1e-9 * ns);
  } else {
    fail("a line is not understood", line);
  }
}

// Leaves the file behind the heading of this rank's lines.
static void find_rank(FILE* file, int rank) {
  char line[longest_line], heading[longest_line];
  snprintf(heading, sizeof heading, "rank %d {\n", rank);
  while (fgets(line, sizeof line, file) != NULL)
    if (strcmp(line, heading) == 0) return;
  fail("the file has no lines of a rank", heading);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) fail("usage", "goal_replay FILE LARGEST_MESSAGE_BYTES");
  FILE* file = fopen(argv[1], "r");
  if (file == NULL) fail("the file cannot be read", argv[1]);
  find_rank(file, rank);
  struct replay r = {NULL, 0, 0, NULL, 0};
  reserve(&r, atol(argv[2]));
  char line[longest_line];
  double begin = MPI_Wtime(), end, first, last;
  while (fgets(line, sizeof line, file) != NULL && line[0] != '}') carry_out(&r, line);
  end = MPI_Wtime();
  MPI_Waitall(r.count, r.sends, MPI_STATUSES_IGNORE);
  fclose(file);
  MPI_Reduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.3f\n", 1e6 * (last - first));
  free(r.sends);
  free(r.data);
  MPI_Finalize();
  return 0;
}
