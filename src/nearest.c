/// \file
/// Nearest word by edit distance (insert, delete, replace, swap neighbours).
#include "nearest.h"

#include <ctype.h>
#include <string.h>

enum { longest = 64 };

static int least(int a, int b) {
  return a < b ? a : b;
}

static int distance(const char *a, const char *b) {
  const int n = (int)strlen(a), m = (int)strlen(b);
  if (n > longest || m > longest) return n + m;
  int row[3][longest + 1]; // the last three rows of the table of distances between prefixes
  for (int j = 0; j <= m; j++) row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3];
    const int *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      const int differ = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
      now[j] = least(least(before[j] + 1, now[j - 1] + 1), before[j - 1] + differ);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = least(now[j], earlier[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

const char *scree_nearest(const char *word, const char *const *words) {
  const char *best = NULL;
  const int length = (int)strlen(word);
  int best_distance = length < 4 ? length - 1 : 1 + length / 3; // more wrong letters: another word
  for (; *words; words++) {
    const int d = distance(word, *words);
    if (d <= best_distance && (!best || d < best_distance)) {
      best = *words;
      best_distance = d;
    }
  }
  return best;
}
