// What other folders use of this one, which the build publishes as one file (gulpfile.js).
export { exactAmountDecider, type Meanings } from './meanings';
export { typedValues, type UncertainValue, type ValueSettings } from './typedValues';
