/** Names of currencies, in lower case, and their signs, in English and in the languages of their countries. Made by `npm run tables`; do not edit. */
export const CURRENCY_NAMES = `
AED: uae dirham, uae dirhams, united arab emirates dirham, د.إ, درهم إماراتي
AFN: afghan afghani, afghan afghanis, ؋, افغانی افغانستان, افغانۍ
ALL: Lekë, albanian lek, albanian lekë, lek shqiptar, leku shqiptar, lekë shqiptar
AMD: armenian dram, armenian drams, հայկական դրամ, ֏
AOA: angolan kwanza, angolan kwanzas, kwanza angolano, kwanzas angolanos
ARS: argentine peso, argentine pesos, peso argentino, pesos argentinos
AUD: A$, australian dollar, australian dollars
AZN: azerbaijani manat, azerbaijani manats, azərbaycan manatı, ₼
BAM: bosanskohercegovačka konvertibilna marka, bosanskohercegovačke konvertibilne marke, bosanskohercegovačkih konvertibilnih maraka, bosnia-herzegovina convertible mark, bosnia-herzegovina convertible marks, konvertibilna marka, konvertibilne marke, konvertibilnih maraka, босанскохерцеговачка конвертибилна марка, босанскохерцеговачке конвертибилне маркe, босанскохерцеговачких конвертибилних марака
BDT: bangladeshi taka, bangladeshi takas, বাংলাদেশী টাকা, ৳
BGN: bulgarian lev, bulgarian leva, български лев, български лева, лв
BHD: bahraini dinar, bahraini dinars, د.ب, دينار بحريني
BIF: burundian franc, burundian francs, franc burundais, francs burundais
BND: brunei dollar, brunei dollars, dolar brunei
BOB: bolivian boliviano, bolivian bolivianos, boliviano, bolivianos
BRL: R$, brazilian real, brazilian reals, reais brasileiros, real brasileiro
BWP: botswanan pula, botswanan pulas
BYN: belarusian ruble, belarusian rubles, беларускі рубель, беларускіх рублёў, беларускія рублі, белорусский рубль, белорусских рублей, белорусских рубля
CAD: $CA, CA$, canadian dollar, canadian dollars, dollar canadien, dollars canadiens
CDF: congolese franc, congolese francs, franc congolais, francs congolais
CHF: franc suisse, franchi svizzeri, franco svizzero, francs suisses, schweizer franken, swiss franc, swiss francs
CLP: chilean peso, chilean pesos, peso chileno, pesos chilenos
CNY: CN¥, chinese yuan, 人民币
COP: colombian peso, colombian pesos, peso colombiano, pesos colombianos
CRC: colones costarricenses, colón costarricense, costa rican colón, costa rican colóns, ₡
CUP: cuban peso, cuban pesos, peso cubano, pesos cubanos
CVE: cape verdean escudo, cape verdean escudos, escudo cabo-verdiano, escudos cabo-verdianos
CZK: czech koruna, czech korunas, česká koruna, české koruny, českých korun
DJF: djiboutian franc, djiboutian francs, franc djiboutien, francs djiboutiens, فرنك جيبوتي
DKK: danish krone, danish kroner, dansk krone, danske kroner, kr
DOP: dominican peso, dominican pesos, peso dominicano, pesos dominicanos
DZD: algerian dinar, algerian dinars, dinar algérien, dinars algériens, د.ج, دينار جزائري, دينارات جزائرية, ديناران جزائريان, دينارًا جزائريًا
EGP: E£, egyptian pound, egyptian pounds, ج.م, جنيه مصري, جنيهات مصرية, جنيهان مصريان, جنيهًا مصريًا
ETB: ethiopian birr, ethiopian birrs, የኢትዮጵያ ብር
EUR: eiro, eura, eurai, euras, euro, euroa, euros, eurot, eurá, eurų, evra, evro, evrov, ewro, ευρώ, евро, €
GBP: british pound, british pounds
GEL: georgian lari, georgian laris, ქართული ლარი, ₾
GHS: GH₵, ghanaian cedi, ghanaian cedis
GNF: franc guinéen, francs guinéens, guinean franc, guinean francs
GTQ: guatemalan quetzal, guatemalan quetzals, quetzal guatemalteco, quetzales guatemaltecos
HKD: HK$, hong kong dollar, hong kong dollars, 港元
HNL: honduran lempira, honduran lempiras, lempira hondureño, lempiras hondureños
HTG: gourde haïtienne, gourdes haïtiennes, haitian gourde, haitian gourdes
HUF: hungarian forint, hungarian forints, magyar forint
IDR: indonesian rupiah, indonesian rupiahs, rupiah indonesia
ILS: israeli new shekel, israeli new shekels, שקל חדש, שקלים חדשים, ₪
INR: indian rupee, indian rupees, भारतीय रुपए, भारतीय रुपया, ₹
IQD: iraqi dinar, iraqi dinars, د.ع, دينار عراقي
IRR: iranian rial, iranian rials, ریال, ریال ایران
ISK: icelandic króna, icelandic krónur, kr, íslensk króna, íslenskar krónur
JMD: jamaican dollar, jamaican dollars
JOD: jordanian dinar, jordanian dinars, د.أ, دينار أردني
JPY: japanese yen, 円, 日本円
KES: Ksh, kenyan shilling, kenyan shillings, shilingi ya kenya, shilingi za kenya
KGS: kyrgyz som, kyrgyz soms, киргизский сом, киргизских сома, киргизских сомов, кыргызстан сому, сом, ⃀
KHR: cambodian riel, cambodian riels, រៀលកម្ពុជា, ៛
KMF: comorian franc, comorian francs, franc comorien, francs comoriens
KRW: south korean won, ₩, 대한민국 원
KWD: kuwaiti dinar, kuwaiti dinars, د.ك, دينار كويتي
KZT: kazakhstani tenge, kazakhstani tenges, казахский тенге, казахских тенге, қазақстан теңгесі, ₸
LAK: laotian kip, laotian kips, ລາວ ກີບ, ₭
LBP: L£, lebanese pound, lebanese pounds, جنيه لبناني, ل.ل
LKR: sri lankan rupee, sri lankan rupees, இலங்கை ரூபாய், இலங்கை ரூபாய்கள், ශ්රී ලංකා රුපියල
LYD: libyan dinar, libyan dinars, د.ل, دينار ليبي, دينارات ليبية, ديناران ليبيان, دينارًا ليبيًا
MAD: dirham marocain, dirhams marocains, moroccan dirham, moroccan dirhams, د.م, دراهم مغربية, درهم مغربي, درهمان مغربيان, درهمًا مغربيًا
MDL: de lei moldovenești, lei moldovenești, leu moldovenesc, moldovan lei, moldovan leu
MGA: ariary, ariary malgache, ariarys malgaches, malagasy ariaries, malagasy ariary
MKD: macedonian denar, macedonian denari, ден, македонски денар, македонски денари
MMK: myanmar kyat, myanmar kyats, မြန်မာ ကျပ်
MNT: mongolian tugrik, mongolian tugriks, монгол төгрөг, ₮
MOP: MOP$, macanese pataca, macanese patacas, pataca macaense, patacas macaenses, 澳門元
MUR: mauritian rupee, mauritian rupees, roupie mauricienne, roupies mauriciennes
MVR: maldivian rufiyaa, maldivian rufiyaas
MWK: malawian kwacha, malawian kwachas
MXN: MX$, mexican peso, mexican pesos, peso mexicano, pesos mexicanos
MYR: malaysian ringgit, malaysian ringgits, ringgit malaysia
MZN: meticais moçambicanos, metical moçambicano, mozambican metical, mozambican meticals
NAD: namibian dollar, namibian dollars
NGN: nigerian naira, nigerian nairas, ₦
NIO: C$, córdoba oro, córdobas oro, nicaraguan córdoba, nicaraguan córdobas
NOK: norsk krone, norske kroner, norwegian krone, norwegian kroner
NPR: nepalese rupee, nepalese rupees, नेपाली रूपैयाँ
NZD: NZ$, new zealand dollar, new zealand dollars
OMR: omani rial, omani rials, ر.ع, ريال عماني
PAB: balboa panameño, balboas panameños, panamanian balboa, panamanian balboas
PEN: peruvian sol, peruvian soles, sol peruano, soles peruanos
PGK: papua new guinean kina
PHP: philippine peso, philippine pesos, piso ng pilipinas, ₱
PKR: pakistani rupee, pakistani rupees, پاکستانی روپیہ
PLN: polish zloty, polish zlotys, złote polskie, złoty polski, złotych polskich
PYG: guaraní paraguayo, guaraníes paraguayos, paraguayan guarani, paraguayan guaranis, ₲
QAR: qatari riyal, qatari riyals, ر.ق, ريال قطري
RON: de lei românești, lei, lei românești, leu românesc, romanian lei, romanian leu
RSD: serbian dinar, serbian dinars, srpska dinara, srpski dinar, srpskih dinara, српска динара, српски динар, српских динара
RUB: russian ruble, russian rubles, российский рубль, российских рублей, российских рубля, ₽
RWF: franc rwandais, francs rwandais, rwandan franc, rwandan francs
SAR: saudi riyal, saudi riyals, ر.س, ريال سعودي
SCR: seychellois rupee, seychellois rupees
SEK: svensk krona, svenska kronor, swedish krona, swedish kronor
SGD: singapore dollar, singapore dollars
SYP: syrian pound, syrian pounds, ل.س, ليرة سورية
THB: thai baht, บาท, บาทไทย, ฿
TND: dinar tunisien, dinars tunisiens, tunisian dinar, tunisian dinars, د.ت, دينار تونسي, دينارات تونسية, ديناران تونسيان, دينارًا تونسيًا
TRY: turkish lira, türk lirası, ₺
TTD: trinidad & tobago dollar, trinidad & tobago dollars
TWD: NT$, new taiwan dollar, new taiwan dollars, 新台幣
TZS: TSh, shilingi ya tanzania, shilingi za tanzania, tanzanian shilling, tanzanian shillings
UAH: ukrainian hryvnia, ukrainian hryvnias, украинская гривна, украинские гривны, украинских гривен, українська гривня, українських гривень, українські гривні, ₴
UGX: shilingi ya uganda, shilingi za uganda, ugandan shilling, ugandan shillings
USD: dólar estadounidense, dólares estadounidenses, us dollar, us dollars
UYU: peso uruguayo, pesos uruguayos, uruguayan peso, uruguayan pesos
UZS: o‘zbekiston so‘mi, soʻm, uzbekistani som
VES: bolívar venezolano, bolívares venezolanos, venezuelan bolívar, venezuelan bolívars
VND: vietnamese dong, đồng việt nam, ₫
VUV: vanuatu vatu, vanuatu vatus, vatu vanuatuan, vatus vanuatuans
XAF: FCFA, central african cfa franc, central african cfa francs
XCD: EC$, east caribbean dollar, east caribbean dollars
XOF: west african cfa franc, west african cfa francs
XPF: CFPF, FCFP, cfp franc, cfp francs, franc cfp, francs cfp
YER: yemeni rial, yemeni rials, ر.ي, ريال يمني
ZAR: south african rand, suid-afrikaanse rand
ZMW: zambian kwacha, zambian kwachas`;
