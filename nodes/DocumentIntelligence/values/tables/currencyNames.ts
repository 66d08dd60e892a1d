/** Names of currencies of one word, in lower case, and their signs, in English and in the languages of their countries. Made by `npm run tables`; do not edit. */
export const CURRENCY_NAMES = `
AED د.إ
AFN ؋ افغانۍ
ALL Lekë
AMD ֏
AOA
ARS
AUD A$
AZN ₼
BAM
BDT ৳
BGN лв
BHD د.ب
BIF
BND
BOB boliviano bolivianos
BRL R$
BWP
BYN
CAD $CA CA$
CDF
CHF
CLP
CNY CN¥ 人民币
COP
CRC ₡
CUP
CVE
CZK
DJF
DKK kr
DOP
DZD د.ج
EGP E£ ج.م
ETB
EUR eiro eura eurai euras euro euroa euros eurot eurá eurų evra evro evrov ewro ευρώ евро €
GBP
GEL ₾
GHS GH₵
GNF
GTQ
HKD HK$ 港元
HNL
HTG
HUF
IDR
ILS ₪
INR ₹
IQD د.ع
IRR ریال
ISK kr
JMD
JOD د.أ
JPY 円 日本円
KES Ksh
KGS сом ⃀
KHR រៀលកម្ពុជា ៛
KMF
KRW ₩
KWD د.ك
KZT ₸
LAK ₭
LBP L£ ل.ل
LKR
LYD د.ل
MAD د.م
MDL
MGA ariary
MKD ден
MMK
MNT ₮
MOP MOP$ 澳門元
MUR
MVR
MWK
MXN MX$
MYR
MZN
NAD
NGN ₦
NIO C$
NOK
NPR
NZD NZ$
OMR ر.ع
PAB
PEN
PGK
PHP ₱
PKR
PLN
PYG ₲
QAR ر.ق
RON lei
RSD
RUB ₽
RWF
SAR ر.س
SCR
SEK
SGD
SYP ل.س
THB บาท บาทไทย ฿
TND د.ت
TRY ₺
TTD
TWD NT$ 新台幣
TZS TSh
UAH ₴
UGX
USD
UYU
UZS soʻm
VES
VND ₫
VUV
XAF FCFA
XCD EC$
XOF
XPF CFPF FCFP
YER ر.ي
ZAR
ZMW`;
