/** Pictures that other programs cut from a real screen are found where they were cut. */

import { assertEquals } from "@std/assert";
import { need } from "../../support/need.ts";
import { Program } from "../../support/program.ts";
import { temporary } from "../../support/temporary.ts";
import { Xvfb } from "../../support/xvfb.ts";

const PROGRAMS = need("Xvfb", "xdotool", "import", "convert", "xlogo");

async function find(url: string, file: string, query = "") {
  const body = await Deno.readFile(file);
  const response = await fetch(`${url}/api/find${query}`, { method: "POST", body });
  return { status: response.status, ...await response.json() };
}

Deno.test(
  { name: "what import and convert cut from the screen is found at its place", ...PROGRAMS },
  () =>
    temporary(async (folder) => {
      await using server = await Xvfb.start({ width: 1920, height: 1080 });
      await using _ = server.spawn(
        "xlogo",
        "-geometry",
        "300x200+1500+860",
        "-fg",
        "#ff8020",
        "-bg",
        "#204060",
      );
      await server.run("xdotool", "search", "--sync", "--onlyvisible", "--class", "XLogo");
      await using program = new Program(["--http", "0"], { env: server.env });
      const url = await program.controlUrl();
      const screen = `${folder}/screen.png`;
      // The window is drawn some time after it is there.
      await (await fetch(`${url}/api/wait`, { method: "POST", body: '{"stable":{"ms":500}}' })).text();
      await server.run("import", "-window", "root", screen);
      for (const [x, y, width, height] of [[1600, 900, 64, 48], [1490, 850, 100, 60], [1630, 940, 41, 33]]) {
        const match = {
          ...{ x, y, width, height, match: 1 },
          center: { x: x + (width >> 1), y: y + (height >> 1) },
        };
        for (const format of ["PNG24:a.png", "PNG8:b.png", "BMP3:c.bmp", "BMP:d.bmp"]) {
          const [kind, name] = format.split(":"), file = `${folder}/${name}`;
          const crop = ["-crop", `${width}x${height}+${x}+${y}`, "+repage", "-compress", "none"];
          await server.run("convert", screen, ...crop, `${kind}:${file}`);
          assertEquals(await find(url, file), { status: 200, matches: [match] }, `${format} ${x} ${y}`);
        }
      }
      // What is drawn over it changes pixels: a share of it agrees.
      const [changed, blurred] = [`${folder}/changed.png`, `${folder}/blurred.png`];
      const cut = ["-crop", "120x90+1600+900", "+repage"];
      await server.run("convert", screen, ...cut, "-fill", "red", "-draw", "rectangle 0,0 9,9", changed);
      await server.run("convert", screen, ...cut, "-colors", "24", "-evaluate", "add", "2%", blurred);
      assertEquals((await find(url, changed)).matches, []);
      const [share] = (await find(url, changed, "?match=0.9")).matches;
      assertEquals([share.x, share.y, share.match > 0.9 && share.match < 1], [1600, 900, true]);
      const [near] = (await find(url, blurred, "?tolerance=10&match=0.95")).matches;
      assertEquals([near.x, near.y], [1600, 900]);
      // The window is gone, and the picture with it.
      const gone = find(url, changed, "?match=0.9&gone=true&wait_ms=20000");
      await server.run("xdotool", "search", "--class", "XLogo", "windowkill");
      assertEquals(await gone, { status: 200, matches: [] });
    }),
);

Deno.test(
  { name: "the prompt prints the middle of a picture, and fails where it is not", ...PROGRAMS },
  () =>
    temporary(async (folder) => {
      await using server = await Xvfb.start();
      await using _ = server.spawn("xlogo", "-geometry", "300x200+500+300", "-fg", "#ff8020");
      await server.run("xdotool", "search", "--sync", "--onlyvisible", "--class", "XLogo");
      const file = `${folder}/part of it.png`;
      const prompt = async (...lines: string[]) => {
        await using program = new Program(["-c", lines.join(";")], { env: server.env });
        return await program.ended();
      };
      await prompt("wait still 500");
      await server.run("import", "-window", "root", "-crop", "60x40+600+350", "+repage", file);
      const found = await prompt(`find ${file}`, `find ${file} 10`);
      assertEquals([found.code, found.stdout, found.stderr], [0, "630 370\n630 370\n", ""]);
      await server.run("xdotool", "search", "--class", "XLogo", "windowkill");
      const { code, stdout, stderr } = await prompt(`find ${file}`);
      assertEquals([code, stdout, stderr], [1, "", "the picture is not on the screen\n"]);
    }),
);
