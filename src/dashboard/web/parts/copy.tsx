/** A text that people take elsewhere: a DNS value, a key, an address. */
import { useRef, useState } from 'preact/hooks';
import { announce } from './announce.tsx';

const SHOWN_MS = 2000;

/** `label`: what it is, as in "the CNAME target". */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const isDone = await writeToClipboard(text);
    if (!isDone) {
      selectAll(shown.current!);
      announce(`Selected ${label}. Copy it with your keyboard.`);
      return;
    }
    announce(`Copied ${label}.`);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <span class="copyable">
      <code ref={shown}>{text}</code>
      <button type="button" class="small" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}

/** `navigator.clipboard` is absent on plain http off loopback, and may be refused. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function selectAll(element: HTMLElement): void {
  const selection = getSelection();
  selection?.selectAllChildren(element);
}
