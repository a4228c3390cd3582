/** A command, or a short program, with a button that copies it. */
import { Copyable } from './copy.tsx';

/** `label`: the word for the text, as in "the command". */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code">
      {/* An element that scrolls must be reachable with the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <Copyable isHidden text={text} label={label} />
    </div>
  );
}
