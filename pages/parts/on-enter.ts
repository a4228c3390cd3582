/** Returns a listener for the keys in a field. By default, Enter in a field sends the form around the field. */
export function onEnter(act: () => void = () => {}) {
  return (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    act();
  };
}
