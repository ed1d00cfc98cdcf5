#define _XOPEN_SOURCE 700 // opendir, stat
// Where the meshes of a robot lie. `package://` names folders that only a ROS installation knows, so that a mesh is
// found by what it is called: the nearer to its full name the better.
#include "robot/urdf_robot.h"

#include "document/notes.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096, PARENTS = 8, SEARCH_DEPTH = 4, SEARCH_ENTRIES = 20000, FOLDERS_UP = 2 };

typedef struct mesh_search {
  const ts_urdf_robot *robot;
  const char *package;  // "NAME/" of "package://NAME/...", or ""
  const char *name;     // what follows it
  const char *stem;     // of the robot's file: "irb2400"
  char path[PATH_SIZE]; // the candidate looked at, at last the one found
} mesh_search;

static bool is_file(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

const char *ts_urdf_file_name(const char *name)
{
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

// Is folder/a/b/c a file? Empty names add nothing.
static bool try_path(mesh_search *search, const char *folder, const char *a, const char *b)
{
  const bool separate = *folder && folder[strlen(folder) - 1] != '/';
  const int length = snprintf(search->path, sizeof search->path, "%s%s%s%s", folder, separate ? "/" : "", a, b);
  return length < PATH_SIZE && is_file(search->path);
}

static bool try_package(mesh_search *search, const char *folder)
{
  return try_path(search, folder, search->package, search->name) || try_path(search, folder, "", search->name);
}

// The folder of the robot, which ends in '/', and those above it.
static bool try_parents(mesh_search *search, const char *folder)
{
  char parent[PATH_SIZE];
  for (int up = 0; up <= PARENTS; ++up) {
    int used = snprintf(parent, sizeof parent, "%s", folder);
    for (int k = 0; k < up && used < PATH_SIZE; ++k)
      used += snprintf(parent + used, sizeof parent - (size_t)used, "../");
    if (used < PATH_SIZE && try_package(search, parent)) return true;
  }
  return false;
}

// Ever shorter ends of the name, in the folder and in its `meshes`.
static bool try_endings(mesh_search *search, const char *folder)
{
  for (const char *ending = search->name; ending; ending = strchr(ending, '/')) {
    ending += strspn(ending, "/");
    if (try_path(search, folder, "", ending) || try_path(search, folder, "meshes/", ending)) return true;
  }
  return false;
}

// ---- by file name --------------------------------------------------------------------------------------------------

typedef struct folder_walk {
  const char *file;   // name looked for
  const char *ending; // that its path had best have: the whole name, what stands for a package included
  const char *robot;  // a folder that its path had best have: the robot's file without its ending
  char *found;        // PATH_SIZE bytes
  int fit;            // of the best match so far
  int matches;        // as good as that
  int entries;
} folder_walk;

static bool ends_with(const char *path, const char *ending)
{
  const size_t length = strlen(path), end = strlen(ending);
  return length > end && path[length - end - 1] == '/' && strcmp(path + length - end, ending) == 0;
}

static bool has_folder(const char *path, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = strstr(path, name); at && length > 0; at = strstr(at + 1, name))
    if (at > path && at[-1] == '/' && at[length] == '/') return true;
  return false;
}

// The end of the name counts for more than the robot's own folder.
static void note_match(folder_walk *walk, const char *path)
{
  const int fit = 2 * ends_with(path, walk->ending) + has_folder(path, walk->robot);
  if (walk->matches > 0 && fit < walk->fit) return;
  if (walk->matches == 0 || fit > walk->fit) {
    strcpy(walk->found, path);
    walk->matches = 0;
  }
  walk->fit = fit;
  ++walk->matches;
}

// Nothing in here leaves by the arena's recovery point: open folders are closed. Folders that are links are not
// entered, so that no circle is.
static void walk_folder(folder_walk *walk, const char *folder, int depth)
{
  DIR *open = opendir(folder);
  const struct dirent *entry;
  while (open && (entry = readdir(open)) != NULL && ++walk->entries <= SEARCH_ENTRIES) {
    char path[PATH_SIZE];
    struct stat about;
    if (entry->d_name[0] == '.') continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_SIZE || lstat(path, &about) != 0) continue;
    if (S_ISDIR(about.st_mode) && depth < SEARCH_DEPTH) walk_folder(walk, path, depth + 1);
    if (strcmp(entry->d_name, walk->file) == 0 && is_file(path)) note_match(walk, path);
  }
  if (open) closedir(open);
}

static int search_below(mesh_search *search, const char *folder, const char *inner)
{
  char start[PATH_SIZE], ending[PATH_SIZE];
  folder_walk walk = {
      .file = ts_urdf_file_name(search->name), .ending = ending, .robot = search->stem, .found = search->path};
  if (snprintf(ending, sizeof ending, "%s%s", search->package, search->name) >= PATH_SIZE) return 0;
  if (snprintf(start, sizeof start, "%s%s", *folder ? folder : "./", inner) < PATH_SIZE) walk_folder(&walk, start, 0);
  return walk.matches;
}

// ---- all -----------------------------------------------------------------------------------------------------------

// Below `meshes` of the robot's folder, and of those above it: exports of whole packages have robots in one folder and
// meshes in another beside it. The folders themselves may be anything, a home even, and are not searched.
static int search_meshes(mesh_search *search, const char *folder)
{
  char inner[PATH_SIZE] = "meshes";
  int matches = 0;
  for (int up = 0; up <= FOLDERS_UP && matches == 0; ++up) {
    matches = search_below(search, folder, inner);
    memmove(inner + 3, inner, strlen(inner) + 1);
    memcpy(inner, "../", 3);
  }
  return matches;
}

// *found is false where the mesh is nowhere.
static ts_status search_by_file_name(mesh_search *search, const char *folder, const char *name, ts_place place,
                                     bool *found)
{
  const ts_urdf_options *options = search->robot->options;
  int matches = 0;
  for (int i = 0; i < options->package_count && matches == 0; ++i)
    matches = search_below(search, options->packages[i], "");
  if (matches == 0) matches = search_meshes(search, folder);
  *found = matches > 0;
  if (matches <= 1) return TS_OK;
  return ts_document_fail(search->robot->in, place, "there are several files that mesh '%.120s' could be", name);
}

static ts_status refuse_missing(ts_document_input *in, const char *name, ts_place place)
{
  ts_document_fail(
      in, place,
      "mesh '%.100s' lies neither beside the robot, nor in 'meshes' or a folder above, nor in a package folder; name "
      "its folder with --package DIR (in scenes: 'packages' of 'urdf'), or leave it out with --missing-meshes skip",
      name);
  return in->error->status = TS_IO;
}

static ts_status miss_mesh(ts_urdf_robot *robot, const char *name, ts_place place)
{
  if (robot->options->missing_meshes == TS_MESHES_SKIP && !robot->options->strict)
    return ts_urdf_note_repair(robot, TS_URDF_MISSING_MESH, ts_urdf_file_name(name), place, 0.0);
  return refuse_missing(robot->in, name, place);
}

static bool search_by_path(mesh_search *search, const char *folder)
{
  const ts_urdf_options *options = search->robot->options;
  if (search->name[0] == '/' && is_file(search->name)) return try_path(search, "", "", search->name);
  for (int i = 0; i < options->package_count; ++i)
    if (try_package(search, options->packages[i])) return true;
  if (try_parents(search, folder)) return true;
  for (int i = 0; i < options->package_count; ++i)
    if (try_endings(search, options->packages[i])) return true;
  return try_endings(search, folder);
}

static void split_name(ts_document_input *in, const char *name, mesh_search *search)
{
  static const char file[] = "file://", package[] = "package://", model[] = "model://";
  search->package = "";
  search->name = name;
  if (strncmp(name, file, sizeof file - 1) == 0) search->name = name + sizeof file - 1;
  const size_t scheme = strncmp(name, package, sizeof package - 1) == 0 ? sizeof package - 1
                        : strncmp(name, model, sizeof model - 1) == 0   ? sizeof model - 1
                                                                        : 0;
  if (scheme == 0) return;
  const char *slash = strchr(name + scheme, '/');
  search->name = slash ? slash + 1 : name + scheme;
  search->package = ts_document_copy_text(in, name + scheme, (size_t)(search->name - name) - scheme);
}

static const char *stem_of(ts_document_input *in, const char *file)
{
  const char *start = ts_urdf_file_name(file), *point = strrchr(start, '.');
  return ts_document_copy_text(in, start, point ? (size_t)(point - start) : strlen(start));
}

// A name that had to be guessed at, of which one sentence tells for all.
static ts_status note_guess(ts_urdf_robot *robot, const char *name, ts_place place, const char *path)
{
  if (robot->options->strict)
    return ts_document_fail(robot->in, place,
                            "mesh '%.100s' could be '%.200s' by the end of its name, and 'strict' lets nothing be "
                            "guessed; name its folder with --package DIR (in scenes: 'packages' of 'urdf')",
                            name, path);
  if (robot->guesses.count++ > 0) return TS_OK;
  robot->guesses.name = name;
  robot->guesses.path = path;
  robot->guesses.place = place;
  return TS_OK;
}

void ts_urdf_tell_guesses(const ts_urdf_robot *robot)
{
  const int others = robot->guesses.count - 1;
  if (others < 0) return;
  char rest[48] = "";
  if (others > 0) snprintf(rest, sizeof rest, ", and %d more likewise", others);
  ts_document_warn(robot->in, robot->guesses.place,
                   "mesh '%.120s' is not there, the one with the same end of its name was taken: '%.200s'%s",
                   robot->guesses.name, robot->guesses.path, rest);
}

ts_status ts_urdf_find_mesh(ts_urdf_robot *robot, const char *name, ts_place place, const char **path)
{
  mesh_search search = {.robot = robot, .stem = stem_of(robot->in, robot->in->files[place.file])};
  split_name(robot->in, name, &search);
  const char *folder = ts_document_beside(robot->in, place.file, "");
  const bool guessed = !search_by_path(&search, folder);
  bool found = true;
  *path = NULL;
  if (guessed) TS_TRY(search_by_file_name(&search, folder, name, place, &found));
  if (!found) return miss_mesh(robot, name, place);
  *path = ts_document_copy_text(robot->in, search.path, strlen(search.path));
  return guessed ? note_guess(robot, name, place, *path) : TS_OK;
}
