/** The entry of the pages in the browser: loads the shared styles, and renders the app. */
import './style/base.css';
import './style/top.css';
import './style/layout.css';
import './style/facts.css';
import './style/states.css';
import './style/controls.css';
import './style/forms.css';
import './style/tables.css';
import './style/needs.css';
import './style/charts.css';
import { render } from 'preact';
import { App } from './app.tsx';

render(<App />, document.getElementById('app')!);
