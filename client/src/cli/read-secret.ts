/** Asks on the terminal for a text that is not shown. */
import { badSetting } from '../waypost-error.ts';
import { Stopped } from './stop-signal.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';
const ENTER = ['\r', '\n', CTRL_D];
const ERASE = ['\b', '\x7f'];

/** `otherwise`: how to give the text without a terminal. */
export async function readSecret(
  question: string,
  otherwise = 'Give it with --api-key-stdin.',
): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) throw badSetting(`There is no terminal to ask for the key. ${otherwise}`);
  // In raw mode, the terminal shows no input, and Ctrl+C is a character. Set raw mode before the question: users may type at once.
  stdin.setRawMode(true);
  stderr.write(question);
  let secret = '';
  try {
    // Another question may follow, so leave the input open, with all that was typed after Enter.
    for await (const typed of stdin.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      const characters = [...typed];
      for (const [index, character] of characters.entries()) {
        if (character === CTRL_C) throw new Stopped('SIGINT');
        if (ENTER.includes(character)) {
          const rest = characters.slice(index + 1).join('');
          if (rest !== '') stdin.unshift(rest);
          return secret;
        }
        secret = ERASE.includes(character) ? secret.slice(0, -1) : secret + character;
      }
    }
    return secret;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
