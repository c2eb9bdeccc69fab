/** Loads the first frame of visible videos. The browser itself loads pictures. */

const observer = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    target.preload = "metadata";
  }
}, { rootMargin: "200px" });
for (const film of document.querySelectorAll(".tiles video")) observer.observe(film);
