// Measures the actions of nut.js per second, in its own process; run by control.ts with Node.
const { Button, mouse, Point } = require("@nut-tree-fork/nut-js");

mouse.config.autoDelayMs = 0;

async function perSecond(act) {
  for (let i = 0; i < 50; i++) await act(i);
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < 2000) await act(count++);
  return count / ((performance.now() - start) / 1000);
}

(async () => {
  const move = () => mouse.setPosition(new Point(5, 6));
  console.log(JSON.stringify({
    move: await perSecond(move),
    click: await perSecond(async () => {
      await move();
      await mouse.click(Button.LEFT);
    }),
  }));
})();
