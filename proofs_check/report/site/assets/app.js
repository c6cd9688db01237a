"use strict";
(() => {
  const root = document.documentElement;
  const THEMES = ["system", "light", "dark"];
  const kept = (() => {
    try {
      const value = localStorage.getItem("twofold-theme");
      return THEMES.includes(value) ? value : "system";
    } catch {
      return "system";
    }
  })();
  const show = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  show(kept);

  const themes = () => {
    const button = document.querySelector(".theme");
    let theme = kept;
    const label = button.querySelector("span");
    label.textContent = theme;
    button.hidden = false;
    button.addEventListener("click", () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      label.textContent = theme;
      show(theme);
      try {
        localStorage.setItem("twofold-theme", theme);
      } catch {
        // a browser that keeps nothing shows it for this page
      }
    });
  };

  const filter = () => {
    const form = document.querySelector(".filter");
    if (!form) return;
    const rows = [...document.querySelectorAll(".row")];
    const status = form.querySelector("[role=status]");
    const overview = document.querySelector(".overview");
    const boxes = [...form.querySelectorAll("[name=verdict]")];
    const apply = () => {
      const words = form.q.value.toLowerCase().replaceAll("-", " ").split(/\s+/).filter(Boolean);
      const verdicts = boxes.filter((box) => box.checked).map((box) => box.value);
      let count = 0;
      for (const row of rows) {
        const data = row.dataset;
        const seen =
          words.every((word) => data.text.includes(word)) &&
          (!verdicts.length || verdicts.includes(data.verdict)) &&
          (!form.paper.value || form.paper.value === data.paper) &&
          (!form.kind.value || form.kind.value === data.kind);
        row.hidden = !seen;
        count += seen;
      }
      for (const part of document.querySelectorAll(".group, .list")) part.hidden = !part.querySelector(".row:not([hidden])");
      const asked = words.length || verdicts.length || form.paper.value || form.kind.value;
      // what was found stands right below the question
      overview.hidden = Boolean(asked);
      const found = count === rows.length ? `${count} claims` : `${count} of ${rows.length} claims`;
      status.textContent = count ? found : "No claim has all of this. Search words are those of places, readings and methods.";
    };
    const write = () => {
      const state = new URLSearchParams();
      for (const name of ["q", "paper", "kind"]) if (form[name].value) state.set(name, form[name].value);
      const verdicts = boxes.filter((box) => box.checked).map((box) => box.value);
      if (verdicts.length) state.set("verdict", verdicts.join(" "));
      const hash = state.toString();
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
      apply();
    };
    const read = () => {
      const state = new URLSearchParams(location.hash.slice(1));
      if (location.hash && !["q", "verdict", "paper", "kind"].some((name) => state.has(name))) return;
      form.q.value = state.get("q") || "";
      const verdicts = (state.get("verdict") || "").split(" ");
      for (const box of boxes) box.checked = verdicts.includes(box.value);
      for (const name of ["paper", "kind"]) {
        const wanted = state.get(name) || "";
        form[name].value = [...form[name].options].some((option) => option.value === wanted) ? wanted : "";
      }
      apply();
    };
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", write);
    form.addEventListener("reset", () => setTimeout(write));
    window.addEventListener("hashchange", read);
    read();
    apply();
  };

  const copying = () => {
    for (const button of document.querySelectorAll("[data-copy]")) {
      const source = document.getElementById(button.dataset.copy);
      button.hidden = false;
      button.addEventListener("click", async () => {
        let done = false;
        try {
          await navigator.clipboard.writeText(source.textContent);
          done = true;
        } catch {
          const range = document.createRange();
          range.selectNodeContents(source);
          const chosen = getSelection();
          chosen.removeAllRanges();
          chosen.addRange(range);
          done = document.execCommand("copy");
        }
        button.textContent = done ? "Copied" : "Selected";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      });
    }
  };

  const tracing = () => {
    for (const graph of document.querySelectorAll(".graph")) {
      const edges = [...graph.querySelectorAll(".edge")];
      const nodes = [...graph.querySelectorAll("a[data-id]")];
      const reach = (start, from, to) => {
        const seen = new Set([start]);
        const queue = [start];
        while (queue.length) {
          const here = queue.pop();
          for (const edge of edges) {
            if (edge.dataset[from] === here && !seen.has(edge.dataset[to])) {
              seen.add(edge.dataset[to]);
              queue.push(edge.dataset[to]);
            }
          }
        }
        return seen;
      };
      const trace = (node) => {
        const down = reach(node.dataset.id, "to", "from");
        const up = reach(node.dataset.id, "from", "to");
        graph.classList.add("tracing");
        for (const other of nodes) other.classList.toggle("traced", down.has(other.dataset.id) || up.has(other.dataset.id));
        for (const edge of edges) {
          const { from, to } = edge.dataset;
          edge.classList.toggle("traced", (down.has(from) && down.has(to)) || (up.has(from) && up.has(to)));
        }
      };
      const clear = () => graph.classList.remove("tracing");
      for (const node of nodes) {
        node.addEventListener("mouseenter", () => trace(node));
        node.addEventListener("focus", () => trace(node));
        node.addEventListener("mouseleave", clear);
        node.addEventListener("blur", clear);
      }
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    themes();
    filter();
    copying();
    tracing();
  });
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const part of opened) part.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
  });
})();
