/** Returns the listener for a form that the page sends itself. */
export function onSend(send: () => void) {
  return (event: Event) => {
    event.preventDefault();
    send();
  };
}
