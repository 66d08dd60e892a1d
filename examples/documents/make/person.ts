/** Somebody who does not exist, drawn with the middle of the face at 200, 205 on a sheet of 400 by 500. */
export interface Person {
	skin: string;
	shade: string;
	hair: string;
	eyes: string;
	lips: string;
	hairBehind: string;
	hairInFront: string;
	extras: string;
}

export const sheetWidth = 400;
export const sheetHeight = 500;

export const mirelle: Person = {
	skin: '#f2cdb0',
	shade: '#dfae8d',
	hair: '#8a3b1e',
	eyes: '#4d7a4a',
	lips: '#b9575a',
	hairBehind:
		'<path d="M200 62 C104 60 78 140 84 222 C88 292 80 336 62 378 C118 398 282 398 338 378 C320 336 312 292 316 222 C322 140 296 60 200 62 Z"/>',
	hairInFront:
		'<path d="M114 214 C104 128 148 84 214 82 C268 82 296 128 286 214 C280 178 266 152 240 130 C212 164 164 176 134 174 C124 186 118 198 114 214 Z"/>',
	extras: `<g fill="#c98d6a" opacity="0.75"><circle cx="150" cy="238" r="2"/><circle cx="160" cy="245" r="2"/><circle cx="168" cy="236" r="2"/>
		<circle cx="232" cy="236" r="2"/><circle cx="241" cy="245" r="2"/><circle cx="250" cy="238" r="2"/></g>
		<circle cx="116" cy="256" r="4" fill="#d9b23c"/><circle cx="284" cy="256" r="4" fill="#d9b23c"/>`,
};

export const corvin: Person = {
	skin: '#8d5a3b',
	shade: '#734628',
	hair: '#1d1715',
	eyes: '#3b2415',
	lips: '#7c4038',
	hairBehind:
		'<path d="M110 190 C96 150 104 96 150 84 C178 66 230 66 256 84 C298 96 304 150 290 190 Z"/>',
	hairInFront:
		`<path d="M120 178 C112 120 150 100 200 102 C250 100 288 120 280 178 C274 152 262 138 244 134 C216 128 184 128 156 134 C138 138 126 152 120 178 Z"/>
		<path d="M119 222 C124 300 160 334 200 334 C240 334 276 300 281 222 C274 258 258 268 236 266 C214 258 186 258 164 266 C142 268 126 258 119 222 Z M172 286 C186 278 214 278 228 286 C222 302 178 302 172 286 Z" fill-rule="evenodd"/>`,
	extras: `<g fill="none" stroke="#e8e4da" stroke-width="5"><rect x="138" y="186" width="52" height="40" rx="14"/>
		<rect x="210" y="186" width="52" height="40" rx="14"/><path d="M190 200 C196 194 204 194 210 200 M138 200 L118 194 M262 200 L282 194"/></g>`,
};

export function portrait(person: Person, clothes: string): string {
	const { skin, shade, hair, eyes, lips } = person;
	const eye = (x: number) => `<path d="M${x - 19} 206 Q${x} 190 ${x + 19} 206 Q${x} 218 ${x - 19} 206 Z" fill="#fdfbf7"/>
		<circle cx="${x}" cy="204.5" r="8.5" fill="${eyes}"/><circle cx="${x}" cy="204.5" r="4" fill="#111"/>
		<circle cx="${x + 3}" cy="201" r="2" fill="#fff"/>
		<path d="M${x - 20} 206 Q${x} 188 ${x + 20} 206" fill="none" stroke="#2a1a12" stroke-width="3" stroke-linecap="round"/>
		<path d="M${x - 22} 180 Q${x} 166 ${x + 22} 179" fill="none" stroke="${hair}" stroke-width="6" stroke-linecap="round"/>`;
	return `<g fill="${hair}">${person.hairBehind}</g>
		<path d="M30 500 C34 416 104 384 166 366 C180 396 220 396 234 366 C296 384 366 416 370 500 Z" fill="${clothes}"/>
		<path d="M166 286 L166 366 C178 398 222 398 234 366 L234 286 Z" fill="${shade}"/>
		<ellipse cx="117" cy="222" rx="13" ry="24" fill="${shade}"/><ellipse cx="283" cy="222" rx="13" ry="24" fill="${shade}"/>
		<path d="M118 190 C116 100 284 100 282 190 C284 262 250 324 200 324 C150 324 116 262 118 190 Z" fill="${skin}"/>
		${eye(164)}${eye(236)}
		<path d="M202 204 C198 226 188 240 190 248 C194 256 208 256 212 249" fill="none" stroke="${shade}" stroke-width="4" stroke-linecap="round"/>
		<g fill="${hair}">${person.hairInFront}</g>
		<path d="M172 284 C184 278 194 277 200 280 C206 277 216 278 228 284 C216 298 184 298 172 284 Z" fill="${lips}"/>
		<path d="M172 284 C188 288 212 288 228 284" fill="none" stroke="#00000055" stroke-width="2"/>
		${person.extras}`;
}
