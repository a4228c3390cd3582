/** A text with a button that copies it, such as a DNS value, a key or an address. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from './announce.tsx';
import { Icon } from './icon.tsx';

const SHOWN_MS = 2000;

export interface CopyableProps {
  readonly text: string;
  /** The word for the text, as in "the CNAME target". */
  readonly label: string;
  /** Whether to show only the button, because the text stands beside it. */
  readonly isHidden?: boolean;
  readonly onCopied?: () => void;
}

/** If the browser does not let us copy, the text is shown and selected. */
export function Copyable({ text, label, isHidden = false, onCopied }: CopyableProps) {
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const [failures, setFailures] = useState(0);
  useEffect(() => {
    if (failures > 0) selectAll(shown.current!);
  }, [failures]);
  const copy = async () => {
    const isDone = await writeToClipboard(text);
    if (!isDone) {
      setFailures((before) => before + 1);
      announce(`Selected ${label}. Copy it with your keyboard.`);
      return;
    }
    announce(`Copied ${label}.`);
    setCopied(true);
    onCopied?.();
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <span class="copyable">
      {(!isHidden || failures > 0) && <code ref={shown}>{text}</code>}
      <button
        type="button"
        class="icon-button"
        aria-label={`Copy ${label}`}
        title="Copy"
        onClick={() => void copy()}
      >
        <Icon name={isCopied ? 'done' : 'copy'} />
      </button>
    </span>
  );
}

/**
 * Returns whether the text was copied. `navigator.clipboard` is absent on plain HTTP, except on loopback, and the browser may refuse the
 * access.
 */
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
