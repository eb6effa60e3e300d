// Gives the frame of a ring player the height of what it holds: the player says it (python/ringlet/player/web/main.js).
"use strict";

addEventListener("message", ({ data, source }) => {
  if (!data?.ringletPlayerHeight) return;
  for (const frame of document.querySelectorAll("iframe.player")) {
    if (frame.contentWindow === source) frame.style.height = `${data.ringletPlayerHeight + 2}px`;
  }
});
