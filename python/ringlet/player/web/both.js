// The page around two players: passes on what one shows to the other, and keeps its address up to date.
"use strict";

const frames = [...document.querySelectorAll("iframe")];
const joined = new Set();
let addressTimer = 0;

function join(frame) {
  frame.contentWindow.postMessage({ ringletPair: { fragment: location.hash } }, "*");
}

addEventListener("message", ({ data, source }) => {
  const from = frames.findIndex((frame) => frame.contentWindow === source);
  if (from < 0) return;
  if (data?.ringletPlayerHeight) {
    frames[from].style.height = `${data.ringletPlayerHeight + 2}px`;
    if (!joined.has(from)) join(frames[from]);
    joined.add(from);
    if (joined.size === frames.length) document.body.dataset.ready = "true";
  }
  if (data?.ringletState) {
    for (const other of frames) if (other.contentWindow !== source) other.contentWindow.postMessage(data, "*");
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => history.replaceState(null, "", data.ringletState.fragment), 200);
  }
});

addEventListener("hashchange", () => frames.forEach(join));
