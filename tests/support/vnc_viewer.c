/*
 * A VNC viewer that uses libvncclient, as Remmina, Guacamole and phone viewers do.
 *
 *     vnc_viewer PORT [ENCODINGS]
 *
 * Reads one command per line and answers each with a line: `key KEYSYM DOWN`, `pointer X Y BUTTONS`, or `picture FILE`,
 * which writes the red, green and blue of each pixel.
 */

#include <poll.h>
#include <rfb/rfbclient.h>

static void picture(rfbClient *client, const char *path) {
  FILE *file = fopen(path, "w");
  for (int i = 0; i < client->width * client->height; i++) fwrite(client->frameBuffer + 4 * i, 3, 1, file);
  fclose(file);
}

static int command(rfbClient *client, const char *line) {
  unsigned a, b, c;
  char path[256];
  if (sscanf(line, "key %u %u", &a, &b) == 2) SendKeyEvent(client, a, b);
  else if (sscanf(line, "pointer %u %u %u", &a, &b, &c) == 3) SendPointerEvent(client, a, b, c);
  else if (sscanf(line, "picture %255s", path) == 1) picture(client, path);
  else return 0;
  puts("done");
  return 1;
}

int main(int count, char **words) {
  char line[300];
  rfbClient *client = rfbGetClient(8, 3, 4);
  client->serverHost = strdup("127.0.0.1");
  client->serverPort = atoi(words[1]);
  client->canHandleNewFBSize = TRUE;
  client->appData.useRemoteCursor = TRUE; /* keeps the pointer out of the picture */
  if (count > 2) client->appData.encodingsString = words[2];
  setvbuf(stdin, NULL, _IONBF, 0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!rfbInitClient(client, NULL, NULL)) return 1;
  puts("connected");
  struct pollfd inputs[] = {{.fd = 0, .events = POLLIN}, {.fd = client->sock, .events = POLLIN}};
  for (;;) {
    if (!client->buffered) poll(inputs, 2, -1);
    if (client->buffered || inputs[1].revents) {
      if (!HandleRFBServerMessage(client)) return 2;
      inputs[1].revents = 0;
    }
    if (poll(inputs, 1, 0) && (!fgets(line, sizeof line, stdin) || !command(client, line))) return 3;
  }
}
