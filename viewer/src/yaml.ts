// Light colouring of YAML, line by line. Text goes in as text nodes only: the case is the user's, and may hold anything.

const mostLines = 5000;

function span(className: string, text: string): Node {
  if (className === '') return document.createTextNode(text);
  const e = document.createElement('span');
  e.className = className;
  e.textContent = text;
  return e;
}

const token = /("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(^|\s)(#.*$)|([A-Za-z_][\w.-]*)(?=\s*:(?:\s|$))|((?:^|(?<=[\s[,{:]))[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?:\s*(?:[A-Za-zµ°%][\w/^*°-]*))?)/g;

export function highlight(text: string, into: HTMLElement): void {
  const lines = text.split('\n');
  const out = document.createDocumentFragment();
  lines.forEach((line, i) => {
    if (i >= mostLines || line.length > 2000) {
      out.append(line);
    } else {
      let at = 0;
      for (const m of line.matchAll(token)) {
        const lead = m[2] ?? '';
        if (m.index > at) out.append(line.slice(at, m.index));
        const body = m[0].slice(lead.length);
        out.append(lead, span(m[1] ? 's' : m[3] ? 'c' : m[4] ? 'k' : 'n', body));
        at = m.index + m[0].length;
      }
      out.append(line.slice(at));
    }
    if (i + 1 < lines.length) out.append('\n');
  });
  into.replaceChildren(out);
}
